#include "net/retry_after.h"

#include <gtest/gtest.h>

#include <string>

namespace net {
namespace {

using base::Duration;
using base::Instant;

// 1994-11-06 08:49:37 UTC, the date of RFC 9110's examples.
constexpr int64_t kExampleSeconds = 784'111'777;

Instant before_example(int64_t seconds) {
  return Instant::from_ms((kExampleSeconds - seconds) * 1000);
}

TEST(RetryAfterTest, ReadsSeconds) {
  EXPECT_EQ(parse_retry_after("120", Instant()), Duration::seconds(120));
  EXPECT_EQ(parse_retry_after("0", Instant()), Duration());
  EXPECT_EQ(parse_retry_after(" \t007 ", Instant()), Duration::seconds(7));
}

TEST(RetryAfterTest, ReadsTheThreeSpellingsOfADate) {
  for (const char* text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov  6 08:49:37 1994"}) {
    EXPECT_EQ(parse_retry_after(text, before_example(90)), Duration::seconds(90)) << text;
  }
}

TEST(RetryAfterTest, ADateInThePastMeansNoWait) {
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", before_example(-1)), Duration());
}

TEST(RetryAfterTest, KnowsLeapYearsAndLeapSeconds) {
  const Instant new_year_2000 = Instant::from_ms(946'684'800'000);
  EXPECT_EQ(parse_retry_after("Wed, 01 Mar 2000 00:00:00 GMT", new_year_2000),
            Duration::hours(24 * 60));
  EXPECT_EQ(parse_retry_after("Sat, 01 Jan 2000 00:00:60 GMT", new_year_2000),
            Duration::seconds(60));
  EXPECT_FALSE(parse_retry_after("Mon, 29 Feb 2100 00:00:00 GMT", new_year_2000).has_value());
}

TEST(RetryAfterTest, CountsDaysFromTheYearZero) {
  const Instant start = Instant::from_ms(-62'167'219'200'000);
  EXPECT_EQ(parse_retry_after("Sat, 01 Jan 0000 00:00:05 GMT", start), Duration::seconds(5));
  EXPECT_EQ(parse_retry_after("Wed, 01 Mar 0000 00:00:00 GMT", start), Duration::hours(24 * 60));
}

TEST(RetryAfterTest, TwoDigitYearsLieAtMostFiftyYearsAhead) {
  const Instant year_2026 = Instant::from_ms(1'785'000'000'000);
  EXPECT_EQ(parse_retry_after("Sunday, 06-Nov-76 08:49:37 GMT", year_2026), kRetryAfterMax);
  EXPECT_EQ(parse_retry_after("Sunday, 06-Nov-77 08:49:37 GMT", year_2026), Duration());
  EXPECT_EQ(
      parse_retry_after("Friday, 01-Jan-00 08:49:37 GMT", Instant::from_ms(4'102'400'000'000)),
      parse_retry_after("Fri, 01 Jan 2100 08:49:37 GMT", Instant::from_ms(4'102'400'000'000)));
}

TEST(RetryAfterTest, TooLongWishesAreBounded) {
  EXPECT_EQ(parse_retry_after("99999999999999999999999999", Instant()), kRetryAfterMax);
  EXPECT_EQ(parse_retry_after("Fri, 31 Dec 9999 23:59:59 GMT", Instant()), kRetryAfterMax);
}

TEST(RetryAfterTest, WhatIsNeitherSecondsNorADateIsNoWish) {
  for (const char* text : {"",
                           " ",
                           "-1",
                           "+1",
                           "1.5",
                           "1s",
                           "soon",
                           "0x10",
                           "1e3",
                           "12 0",
                           "Sun, 06 Nov 1994",
                           "Sun, 06 Nov 1994 08:49:37",
                           "Sun, 06 Nov 1994 08:49:37 UTC",
                           "Sun, 6 Nov 1994 08:49:37 GMT",
                           "Foo, 06 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nuv 1994 08:49:37 GMT",
                           "Sun, 31 Nov 1994 08:49:37 GMT",
                           "Sun, 00 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nov 1994 24:00:00 GMT",
                           "Sun, 06 Nov 1994 08:60:00 GMT",
                           "Sun, 06 Nov 1994 08:49:61 GMT",
                           "Sun, 06 Nov 1994 08:49:37 GMT x",
                           "Sun, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov 6 08:49:37 1994",
                           "1994-11-06T08:49:37Z"}) {
    EXPECT_FALSE(parse_retry_after(text, Instant()).has_value()) << text;
  }
}

}  // namespace
}  // namespace net
