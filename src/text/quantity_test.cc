#include "text/quantity.h"

#include <gtest/gtest.h>

namespace text {
namespace {

using base::Duration;

TEST(Quantity, ReadsDurations) {
  EXPECT_EQ(*parse_duration("250ms"), Duration::ms(250));
  EXPECT_EQ(*parse_duration("20s"), Duration::seconds(20));
  EXPECT_EQ(*parse_duration("10m"), Duration::minutes(10));
  EXPECT_EQ(*parse_duration("6h"), Duration::hours(6));
  EXPECT_EQ(*parse_duration("2d"), Duration::hours(48));
  EXPECT_EQ(*parse_duration("1h30m"), Duration::minutes(90));
  EXPECT_EQ(*parse_duration("84s800ms"), Duration::ms(84'800));
  EXPECT_EQ(*parse_duration("0"), Duration());
}

TEST(Quantity, RefusesWhatIsNoDuration) {
  for (const char* text :
       {"", "h", "6", "6w", "1.5h", "-1h", "30m1h", "1h1h", "1h30", "99999999999d", " 6h"}) {
    EXPECT_FALSE(parse_duration(text).has_value()) << text;
  }
}

TEST(Quantity, WritesDurationsAsItReadsThem) {
  for (const char* text : {"0", "20ms", "1m24s800ms", "72h", "1h30m", "100h"}) {
    EXPECT_EQ(duration_text(*parse_duration(text)), text);
  }
}

TEST(Quantity, ReadsRatesAndWritesThemAlike) {
  for (const char* text : {"50/s", "1/3h", "100/m", "7/h", "1/1h30m", "3/250ms"}) {
    const auto rate = parse_rate(text);
    ASSERT_TRUE(rate.has_value()) << text;
    EXPECT_EQ(rate_text(*rate), text);
  }
  EXPECT_EQ(rate_text(*parse_rate("2/d")), "2/24h");
}

TEST(Quantity, RefusesRatesWithFractionsAndSaysWhatToWrite) {
  const auto rate = parse_rate("0.5/s");
  ASSERT_FALSE(rate.has_value());
  EXPECT_NE(rate.error().detail.find("1/2s"), std::string::npos);
  for (const char* text : {"", "5", "5/", "/s", "0/s", "-1/s", "5/0s", "5/x"}) {
    EXPECT_FALSE(parse_rate(text).has_value()) << text;
  }
}

// Three events in a second: 0, 333, 666, and the fourth exactly at 1000.
TEST(Quantity, SpacesEventsWithoutDrift) {
  const Rate rate{.count = 3, .period = Duration::seconds(1)};
  EXPECT_EQ(event_time(rate, 0), Duration());
  EXPECT_EQ(event_time(rate, 1), Duration::ms(333));
  EXPECT_EQ(event_time(rate, 2), Duration::ms(666));
  EXPECT_EQ(event_time(rate, 3), Duration::ms(1000));
  EXPECT_EQ(event_time(rate, 3'000'000'001), Duration::ms(1'000'000'000'333));
}

TEST(Quantity, SpeaksInHoursMinutesAndSeconds) {
  EXPECT_EQ(spoken(Duration()), "0s");
  EXPECT_EQ(spoken(Duration::ms(20)), "20ms");
  EXPECT_EQ(spoken(Duration::ms(92'020)), "1m 32s");
  EXPECT_EQ(spoken(Duration::ms(92'020), Precision::kExact), "1m 32s 20ms");
  EXPECT_EQ(spoken(Duration::hours(120) + Duration::seconds(5)), "120h 5s");
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(12'960'000), "12,960,000");
}

}  // namespace
}  // namespace text
