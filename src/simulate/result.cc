#include "simulate/result.h"

#include <algorithm>

namespace simulate {

const Drain* largest_drain(const Result& result) {
  const auto largest = std::max_element(
      result.drains.begin(), result.drains.end(),
      [](const Drain& left, const Drain& right) { return left.deliveries < right.deliveries; });
  return largest == result.drains.end() ? nullptr : &*largest;
}

}  // namespace simulate
