#include "text/bounded.h"

#include <gtest/gtest.h>

namespace text {
namespace {

using base::Duration;

template <class Value>
std::string refusal(const base::Result<Value>& result) {
  return result.has_value() ? "accepted" : result.error().detail;
}

TEST(Bounded, BothBoundsAreIncludedAndNamed) {
  const Bounds bounds{.min = 0, .max = 64};
  EXPECT_EQ(parse_integer("0", bounds).value(), 0);
  EXPECT_EQ(parse_integer("64", bounds).value(), 64);
  EXPECT_EQ(refusal(parse_integer("65", bounds)), "must be between 0 and 64");
  EXPECT_EQ(refusal(parse_integer("-1", bounds)), "must be between 0 and 64");
  EXPECT_EQ(refusal(parse_duration("1ms", {.min = 1000})), "must be at least 1s");
  EXPECT_EQ(refusal(parse_bytes("1", {.min = 1024, .max = 1048576})),
            "must be between 1KiB and 1MiB");
  EXPECT_EQ(refusal(parse_whole_hours("25h", {.min = 0, .max = 24})), "must be between 0 and 24h");
}

TEST(Bounded, SizesAreReadAndWrittenInTheLargestUnitThatFits) {
  for (const std::string_view text : {"0", "1", "1023", "1KiB", "1025", "64MiB", "3GiB", "2TiB"}) {
    const auto bytes = parse_bytes(text, {});
    ASSERT_TRUE(bytes.has_value()) << text;
    EXPECT_EQ(bytes_text(static_cast<uint64_t>(*bytes)), text);
  }
  EXPECT_EQ(parse_bytes("1024KiB", {}).value(), 1 << 20);
}

TEST(Bounded, SizesWithOtherUnitsAreRefused) {
  for (const std::string_view text : {"", "MiB", "1MB", "1 MiB", "1.5GiB", "-1"}) {
    EXPECT_NE(refusal(parse_bytes(text, {})).find("is not a size"), std::string::npos) << text;
  }
  EXPECT_EQ(refusal(parse_bytes("9000000000TiB", {})), "is too large");
}

TEST(Bounded, ListsOfTimesAreSeparatedByCommas) {
  const auto delays = parse_durations("1m, 10m,1h", {});
  ASSERT_TRUE(delays.has_value());
  EXPECT_EQ(delays->size(), 3U);
  EXPECT_EQ(delays->at(1), Duration::minutes(10));
  EXPECT_EQ(durations_text(*delays), "1m,10m,1h");
  EXPECT_EQ(refusal(parse_durations("", {})), "is empty");
  EXPECT_FALSE(parse_durations("1m,,2m", {}).has_value());
}

TEST(Bounded, HoursMustBeWhole) {
  EXPECT_EQ(parse_whole_hours("1d", {}).value(), 24);
  EXPECT_EQ(refusal(parse_whole_hours("90m", {})), "must be whole hours");
}

}  // namespace
}  // namespace text
