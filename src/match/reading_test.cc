#include "match/reading.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace match {
namespace {

constexpr uint64_t kNaturalMax = std::numeric_limits<uint64_t>::max();

TEST(Number, IsTheSameHoweverItIsWritten) {
  for (const std::string_view text : {"100", "1e2", "100.0", "1000e-1"}) {
    ASSERT_TRUE(read_number(text).has_value()) << text;
    EXPECT_EQ(*read_number(text), Number::from(int64_t{100})) << text;
    EXPECT_EQ(read_number(text)->hash(), Number::from(100.0).hash()) << text;
  }
  EXPECT_EQ(*read_number("-0"), *read_number("0.0"));
  EXPECT_EQ(*read_number("0.1"), Number::from(0.1));
}

TEST(Number, KeepsNeighboursApartWhereDoublesCannot) {
  EXPECT_LT(*read_number("9007199254740992"), *read_number("9007199254740993"));
  EXPECT_LT(Number::from(9007199254740992.0), *read_number("9007199254740993"));
  EXPECT_LT(*read_number("18446744073709551614"), Number::from(kNaturalMax));
  EXPECT_LT(Number::from(kNaturalMax), Number::from(18446744073709551616.0));
}

TEST(Number, OrdersIntegersAndDecimals) {
  EXPECT_LT(*read_number("-1"), *read_number("-0.5"));
  EXPECT_LT(*read_number("2"), *read_number("10"));
  EXPECT_LT(*read_number("1e300"), *read_number("1e301"));
  EXPECT_LT(*read_number("-9223372036854775808"), Number::from(kNaturalMax));
}

TEST(Number, IsReadFromAWholeTextInJsonsGrammarOnly) {
  for (const std::string_view text : {"", "-", "+1", " 1", "1 ", "0x10", "01", "1.", ".5", "1e",
                                      "1e+", "nan", "inf", "1,000", "2022-12-11"}) {
    EXPECT_FALSE(read_number(text).has_value()) << text;
  }
  EXPECT_FALSE(read_number(std::string(100'000, '1')).has_value());
}

TEST(Moment, IsTheSameInAnyOffset) {
  const auto noon = read_moment("2022-12-11T12:00:00Z");
  ASSERT_TRUE(noon.has_value());
  EXPECT_EQ(noon->seconds, 1'670'760'000);
  for (const std::string_view text :
       {"2022-12-11T12:00", "2022-12-11 12:00:00.000", "2022-12-11T04:00:00.000-0800",
        "2022-12-11T13:00:00+01:00", "2022-12-11T14:00:00,000+02"}) {
    EXPECT_EQ(read_moment(text), noon) << text;
  }
}

TEST(Moment, HasNanosecondsAndCutsTheRest) {
  EXPECT_EQ(read_moment("2026-02-26T22:26:00.934Z")->nanos, 934'000'000U);
  EXPECT_EQ(read_moment("2026-02-26T22:26:00.1234567899Z")->nanos, 123'456'789U);
  EXPECT_LT(*read_moment("2026-02-26T22:26:00.1Z"), *read_moment("2026-02-26T22:26:00.11Z"));
}

TEST(Moment, DatesCountFromMidnightAndBeforeTheEpoch) {
  EXPECT_EQ(read_moment("1970-01-02")->seconds, 86'400);
  EXPECT_EQ(read_moment("1969-12-31T23:59:59Z")->seconds, -1);
  EXPECT_EQ(read_moment("2000-02-29"), read_moment("2000-02-29T00:00Z"));
}

TEST(Moment, IsNotReadFromWhatNoCalendarHas) {
  for (const std::string_view text :
       {"2022", "2022-12", "2022-13-01", "2022-02-29", "2022-12-11T", "2022-12-11T24:00",
        "2022-12-11T12", "2022-12-11T12:60", "2022-12-11T12:00:61", "2022-12-11T12:00:00.",
        "2022-12-11T12:00+24:00", "2022-12-11T12:00+1", "2022-12-11x", "20221211", "22-12-11"}) {
    EXPECT_FALSE(read_moment(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace match
