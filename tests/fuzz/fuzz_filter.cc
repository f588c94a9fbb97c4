// The first line is a subscriber's filter, the rest a payload. Whatever they are: refusals are fit
// to be shown, an index finds the subscription exactly if its filter passes, and what is said never
// to pass does not.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "match/filter.h"
#include "match/subscription_index.h"
#include "tests/fuzz/fuzz_target.h"

namespace fuzz {

namespace {

bool is_fit_to_be_shown(const std::string& text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) >= ' '; });
}

bool is_found(match::Filter filter, const match::States& states) {
  match::SubscriptionIndex index;
  CHECK(index.add({.tenant = {1}, .id = {1}, .filter = std::move(filter)}));
  std::vector<match::Match> matches;
  const auto count = index.match({.tenant = {1}, .type = "UPDATE", .states = states}, matches);
  CHECK(count.has_value());
  return *count == 1;
}

void check_payload(match::Filter filter, std::string_view payload) {
  match::JsonParser parser;
  const auto root = parser.parse(payload);
  if (!root.has_value()) {
    CHECK(is_fit_to_be_shown(root.error().detail));
    return;
  }
  const match::States states = match::States::of(*root);
  match::Effort effort;
  const bool passes = filter.passes(states, effort);
  CHECK(!effort.is_exhausted());
  const std::vector<std::string> warnings = match::warnings_of(filter, match::kEveryType);
  CHECK(std::ranges::all_of(warnings, is_fit_to_be_shown));
  const bool never_passes =
      !warnings.empty() && warnings.back().starts_with("no event can ever pass");
  CHECK(!(passes && never_passes));
  CHECK(is_found(std::move(filter), states) == passes);
}

}  // namespace

void check(std::string_view input) {
  const size_t line_end = std::min(input.find('\n'), input.size());
  match::JsonParser parser;
  auto filter = match::parse_filter(parser, input.substr(0, line_end));
  if (!filter.has_value()) {
    CHECK(is_fit_to_be_shown(filter.error().detail));
    return;
  }
  check_payload(std::move(*filter), input.substr(std::min(line_end + 1, input.size())));
}

}  // namespace fuzz
