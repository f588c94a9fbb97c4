#include "store/fail_points.h"

#ifdef POSTRIDER_FAIL_POINTS

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace store {

namespace {

struct KillOrder {
  size_t point = kFailPoints.size();  // none
  uint64_t count = 0;
};

std::optional<KillOrder> parse_order(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view digits = text.substr(colon + 1);
  KillOrder order{.point = fail_point_index(text.substr(0, colon))};
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), order.count);
  if (error != std::errc() || end != digits.data() + digits.size() || order.count == 0 ||
      order.point == kFailPoints.size()) {
    return std::nullopt;
  }
  return order;
}

KillOrder read_order() {
  // Read once, before there is anybody who could change it.
  const char* text = ::secure_getenv("POSTRIDER_KILL_AT");
  if (text == nullptr) {
    return {};
  }
  const std::optional<KillOrder> order = parse_order(text);
  if (!order) {
    // A test that kills nothing would pass for the wrong reason.
    std::fprintf(stderr, "POSTRIDER_KILL_AT=%s: not the name of a fail point, ':' and a count\n",
                 text);
    std::abort();
  }
  return *order;
}

[[noreturn]] void die() {
  ::kill(::getpid(), SIGKILL);
  while (true) {
    ::pause();
  }
}

}  // namespace

void pass_fail_point(size_t index) {
  static const KillOrder kOrder = read_order();
  static std::atomic<uint64_t> passed = 0;
  if (index == kOrder.point && passed.fetch_add(1) + 1 == kOrder.count) {
    die();
  }
}

}  // namespace store

#endif
