#include "text/trace_context.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace text {
namespace {

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const std::string kSpan = "b7ad6b7169203331";
const std::string kGood = "00-" + kTrace + "-" + kSpan + "-01";

TEST(TraceContext, AGoodOneIsPassedOnAsItIs) { EXPECT_EQ(read_traceparent(kGood), kGood); }

TEST(TraceContext, AMalformedOneIsNone) {
  const std::string traces_of_zero(32, '0');
  const std::string spans_of_zero(16, '0');
  for (const std::string& header : {
           std::string(),
           std::string("00"),
           kGood.substr(0, 54),
           kGood + "-",
           kGood + "-00",
           kGood + " ",
           "ff" + kGood.substr(2),
           "0x" + kGood.substr(2),
           "0A" + kGood.substr(2),
           fmt::format("00-{}-{}-01", traces_of_zero, kSpan),
           fmt::format("00-{}-{}-01", kTrace, spans_of_zero),
           fmt::format("00-{}-{}-0g", kTrace, kSpan),
           fmt::format("00-{}-{}_01", kTrace, kSpan),
           fmt::format("00_{}-{}-01", kTrace, kSpan),
           fmt::format("00-{}_{}-01", kTrace, kSpan),
           fmt::format("00-0AF7651916cd43dd8448eb211c80319c-{}-01", kSpan),
           fmt::format("00-{}-B7ad6b7169203331-01", kTrace),
           "cc" + kGood.substr(2) + ".what",
       }) {
    EXPECT_EQ(read_traceparent(header), std::nullopt) << header;
  }
}

TEST(TraceContext, ALaterVersionIsPassedOnAsOurs) {
  EXPECT_EQ(read_traceparent("cc" + kGood.substr(2)), kGood);
  EXPECT_EQ(read_traceparent("cc" + kGood.substr(2) + "-what-is-this"), kGood);
}

TEST(TraceContext, FlagsWithoutAMeaningAreCleared) {
  const std::string begin = kGood.substr(0, 53);
  EXPECT_EQ(read_traceparent(begin + "ff"), begin + "03");
  EXPECT_EQ(read_traceparent(begin + "fc"), begin + "00");
  EXPECT_EQ(read_traceparent(begin + "02"), begin + "02");
}

TEST(TraceContext, AnotherSpanKeepsTraceAndFlags) {
  EXPECT_EQ(with_span(kGood, 0xabcULL), "00-" + kTrace + "-0000000000000abc-01");
  EXPECT_EQ(with_span(kGood, UINT64_MAX), "00-" + kTrace + "-ffffffffffffffff-01");
}

TEST(TraceContext, ASpanIsNeverZero) {
  EXPECT_EQ(read_traceparent(with_span(kGood, 0)), "00-" + kTrace + "-0000000000000001-01");
}

}  // namespace
}  // namespace text
