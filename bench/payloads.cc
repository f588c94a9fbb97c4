#include "bench/payloads.h"

#include <fmt/format.h>

#include <chrono>

#include "base/check.h"

namespace bench {
namespace {

constexpr std::string_view kStampField = "\"stamp\":\"";
constexpr size_t kStampDigits = 20;
constexpr size_t kPairBytes = 32;  // of one key and value, at most
constexpr std::string_view kPadding = "\"pad\":\"";

}  // namespace

std::string random_json(base::Prng& prng) {
  std::string text = fmt::format("{{{}{:0{}}\",", kStampField, 0, kStampDigits);
  for (size_t pair = 0; text.size() + kPairBytes + kPadding.size() + 2 < kPayloadBytes; ++pair) {
    // The number of the pair is in the key: receivers refuse JSON with a key twice, and so do we.
    text += fmt::format("\"{:x}{:02x}\":\"{:016x}\",", pair, prng.below(256), prng.next());
  }
  text += kPadding;
  text.append(kPayloadBytes - 2 - text.size(), 'x');
  return text + "\"}";
}

std::vector<std::string> random_payloads(size_t count) {
  base::Prng prng(1);
  std::vector<std::string> payloads;
  payloads.reserve(count);
  while (payloads.size() < count) {
    payloads.push_back(random_json(prng));
  }
  return payloads;
}

std::string event_type(size_t topic) { return fmt::format("bench.{}", topic); }

std::string event_of(size_t topic, std::string_view payload) {
  return fmt::format(R"({{"type":"{}","payload":{}}})", event_type(topic), payload);
}

int64_t nanoseconds_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void set_stamp(std::string& text, int64_t nanoseconds) {
  const size_t field = text.find(kStampField);
  CHECK(field != std::string::npos);
  text.replace(field + kStampField.size(), kStampDigits,
               fmt::format("{:0{}}", nanoseconds, kStampDigits));
}

std::optional<int64_t> stamp_of(std::string_view text) {
  const size_t field = text.find(kStampField);
  if (field == std::string_view::npos || text.size() < field + kStampField.size() + kStampDigits) {
    return std::nullopt;
  }
  int64_t stamp = 0;
  for (const char digit : text.substr(field + kStampField.size(), kStampDigits)) {
    if (digit < '0' || digit > '9') {
      return std::nullopt;
    }
    stamp = stamp * 10 + (digit - '0');
  }
  return stamp == 0 ? std::nullopt : std::optional(stamp);
}

}  // namespace bench
