#include "simulate/chart_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "text/quantity.h"

namespace simulate {
namespace {

constexpr double kCountTicks = 4;
constexpr int64_t kTimeTicksMax = 14;

constexpr std::array<int64_t, 26> kTimeSteps = {
    1'000,          2'000,          5'000,       10'000,        15'000,        30'000,
    60'000,         120'000,        300'000,     600'000,       900'000,       1'800'000,
    3'600'000,      7'200'000,      10'800'000,  21'600'000,    43'200'000,    86'400'000,
    172'800'000,    432'000'000,    864'000'000, 1'728'000'000, 4'320'000'000, 8'640'000'000,
    43'200'000'000, 864'000'000'000};

std::string count_label(double value) {
  if (value >= 1e6) {
    return fmt::format("{:g}M", value / 1e6);
  }
  return value >= 1e4 ? fmt::format("{:g}k", value / 1e3) : fmt::format("{:g}", value);
}

std::string time_label(int64_t ms) { return ms == 0 ? "0h" : text::spoken(base::Duration::ms(ms)); }

}  // namespace

Axis count_axis(double most) {
  const double rough = std::max(1.0, most / kCountTicks);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5.0, 2.0, 1.0}) {
    step = factor * power >= rough ? factor * power : step;
  }
  Axis axis{.max = 0, .ticks = {{.value = 0, .label = "0"}}};
  for (int i = 1; axis.max < most || i == 1; ++i) {
    axis.max = i * step;
    axis.ticks.push_back({.value = axis.max, .label = count_label(axis.max)});
  }
  return axis;
}

Axis time_axis(base::Duration end) {
  const int64_t last = std::max<int64_t>(end.count_ms(), 1000);
  int64_t step = kTimeSteps.back();
  for (auto candidate = kTimeSteps.rbegin(); candidate != kTimeSteps.rend(); ++candidate) {
    step = last / *candidate <= kTimeTicksMax ? *candidate : step;
  }
  // A run that ends just before a tick is drawn up to the tick.
  const int64_t missing = (step - last % step) % step;
  const int64_t last_shown = missing < step / 20 ? last + missing : last;
  Axis axis{.max = static_cast<double>(last_shown), .ticks = {}};
  for (int64_t at = 0; at <= last_shown; at += step) {
    axis.ticks.push_back({.value = static_cast<double>(at), .label = time_label(at)});
  }
  return axis;
}

}  // namespace simulate
