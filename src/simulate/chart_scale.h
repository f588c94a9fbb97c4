// Where the ticks of an axis go and what they are called. Floating point is fine here: it decides
// where ink goes, and nothing else.
#pragma once

#include <string>
#include <vector>

#include "base/time.h"

namespace simulate {

struct Tick {
  double value = 0;
  std::string label;
};

struct Axis {
  double max = 1;  // the minimum is 0
  std::vector<Tick> ticks;
};

// From 0 to a round number at or above `most`; whole steps of 1, 2 or 5 times a power of ten.
Axis count_axis(double most);

// From 0 to `end`, in milliseconds; steps that a clock or a calendar would have.
Axis time_axis(base::Duration end);

}  // namespace simulate
