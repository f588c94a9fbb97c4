// The value of the Date header, made anew once a second. Knows no clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/time.h"

namespace http {

class DateText {
 public:
  // "Sun, 06 Nov 1994 08:49:37 GMT"; valid until the next call. Years 1970 to 9999.
  std::string_view at(base::Instant wall_clock);

 private:
  int64_t second_ = -1;
  std::string text_;
};

}  // namespace http
