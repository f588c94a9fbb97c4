// JsonParser: simdjson and our own slow reader agree on every text, an error says where and is fit
// to be shown, what was parsed can be walked, and a member's own text says the same as its value.

#include <algorithm>
#include <string>

#include "base/check.h"
#include "match/json.h"
#include "match/json_scan.h"
#include "tests/fuzz/fuzz_target.h"

namespace fuzz {

namespace {

void check_value(match::JsonValue value, size_t depth) {
  CHECK(value.kind() != match::JsonKind::kMissing);
  size_t count = 0;
  for (const match::JsonValue element : value.elements()) {
    check_value(element, depth + 1);
    ++count;
  }
  for (const match::JsonMember member : value.members()) {
    CHECK(value.find(member.key).kind() == member.value.kind());
    check_value(member.value, depth + 1);
    ++count;
  }
  CHECK_EQ(count, value.size());
  CHECK(count == 0 || depth < match::kJsonDepthMax);
}

// What is looked for is a spelling. So keys that cannot be spelt without escapes are left out, and
// one that was spelt with them all the same is not found.
void check_raw_members(const match::JsonParser& parser, match::JsonValue root,
                       std::string_view input) {
  match::JsonParser second;
  for (const match::JsonMember member : root.members()) {
    if (member.key.contains('"') || member.key.contains('\\')) {
      continue;
    }
    const auto raw = parser.raw_member(input, member.key);
    if (!raw.has_value()) {
      CHECK(input.contains('\\'));
      continue;
    }
    const auto value = second.parse(*raw);
    CHECK(value.has_value());
    CHECK(value->kind() == member.value.kind());
    CHECK_EQ(value->size(), member.value.size());
  }
}

bool is_about_keys(const std::string& detail) { return detail.contains(" occurs twice"); }

}  // namespace

void check(std::string_view input) {
  match::JsonParser parser;
  const auto root = parser.parse(input);
  const match::JsonScan scan = match::scan_json(input);
  if (root.has_value()) {
    CHECK(!scan.fault.has_value());
    check_value(*root, 0);
    check_raw_members(parser, *root, input);
    return;
  }
  const std::string& detail = root.error().detail;
  CHECK(std::ranges::all_of(detail, [](char c) { return static_cast<unsigned char>(c) >= ' '; }));
  CHECK(scan.fault.has_value() || is_about_keys(detail));
  CHECK(!scan.fault.has_value() || scan.fault->offset <= input.size());
}

}  // namespace fuzz
