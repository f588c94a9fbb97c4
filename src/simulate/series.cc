#include "simulate/series.h"

#include <array>

#include "base/check.h"

namespace simulate {
namespace {

using base::Duration;

// Each a multiple of the one before, and a step that a person would choose.
constexpr std::array<int64_t, 18> kWidthSeconds = {
    1,    5,     10,    30,    60,     300,    600,     1800,    3600,
    7200, 21600, 43200, 86400, 172800, 864000, 1728000, 8640000, 86400000};

}  // namespace

Duration Series::width() const { return Duration::seconds(kWidthSeconds[width_index_]); }

void Series::begin_interval(const Backlog& backlog) {
  intervals_.push_back({.at_start = backlog});
  if (intervals_.size() > kIntervalsMax) {
    widen();
  }
}

void Series::widen() {
  CHECK(width_index_ + 1 < kWidthSeconds.size());
  const auto factor =
      static_cast<size_t>(kWidthSeconds[width_index_ + 1] / kWidthSeconds[width_index_]);
  width_index_ += 1;
  std::vector<Interval> wide;
  for (size_t i = 0; i < intervals_.size(); ++i) {
    const Interval& narrow = intervals_[i];
    if (i % factor == 0) {
      wide.push_back({.at_start = narrow.at_start});
    }
    wide.back().attempts += narrow.attempts;
    wide.back().failures += narrow.failures;
    wide.back().dropped += narrow.dropped;
  }
  intervals_ = std::move(wide);
}

Series Series::condensed(size_t count) const {
  Series wide = *this;
  while (wide.intervals_.size() > count) {
    wide.widen();
  }
  return wide;
}

}  // namespace simulate
