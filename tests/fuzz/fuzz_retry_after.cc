// parse_retry_after: what it gives is bounded, shrinks as time goes by, and agrees with the C
// library on what a date means.

#include <algorithm>
#include <ctime>
#include <string>

#include "base/check.h"
#include "net/retry_after.h"
#include "tests/fuzz/fuzz_target.h"

namespace fuzz {

namespace {

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return "";
  }
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

bool is_number(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The library moves 31 June to 1 July; we refuse it.
bool exists(std::tm parts) {
  const int day = parts.tm_mday;
  parts.tm_sec = 0;  // a leap second may lead into the next day
  timegm(&parts);
  return parts.tm_mday == day;
}

std::optional<base::Instant> read_by_library(const std::string& text, const char* format) {
  std::tm parts{};
  const char* end = strptime(text.c_str(), format, &parts);
  if (end == nullptr || *end != '\0') {
    return std::nullopt;
  }
  CHECK(exists(parts));
  return base::Instant::from_ms(timegm(&parts) * 1000);
}

void check_meaning(const std::string& text, base::Instant now, base::Duration wait) {
  if (is_number(text)) {
    const bool is_short = text.find_first_not_of('0') == std::string::npos ||
                          text.size() - text.find_first_not_of('0') <= 9;
    const auto expected = base::Duration::seconds(is_short ? std::stoll(text) : 1'000'000'000);
    CHECK(wait == std::min(expected, net::kRetryAfterMax));
    return;
  }
  auto date = read_by_library(text, "%a, %d %b %Y %H:%M:%S GMT");
  if (!date.has_value()) {
    date = read_by_library(text, "%a %b %e %H:%M:%S %Y");
  }
  if (date.has_value()) {
    CHECK(wait == std::clamp(*date - now, base::Duration(), net::kRetryAfterMax));
    const auto hour = base::Duration::hours(1);
    CHECK(net::parse_retry_after(text, *date - hour) == hour);
    return;
  }
  // The library guesses the century of two digits in another way.
  CHECK(read_by_library(text, "%A, %d-%b-%y %H:%M:%S GMT").has_value());
}

}  // namespace

void check(std::string_view input) {
  const auto now = base::Instant::from_ms(1'785'000'000'000);
  const auto later = now + base::Duration::hours(1);
  const auto wait = net::parse_retry_after(input, now);
  const auto wait_later = net::parse_retry_after(input, later);
  CHECK(wait.has_value() == wait_later.has_value());
  if (!wait.has_value()) {
    return;
  }
  CHECK(*wait >= base::Duration() && *wait <= net::kRetryAfterMax);
  CHECK(*wait_later <= *wait);
  CHECK(*wait - *wait_later <= later - now);
  const std::string text = trimmed(input);
  CHECK(!text.contains('\0'));
  check_meaning(text, now, *wait);
}

}  // namespace fuzz
