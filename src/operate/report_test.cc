#include "operate/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace operate {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

store::AuditReport sound() {
  store::AuditReport report;
  report.commit = 7;
  report.records = 20;
  report.counted = {.events = 5, .deliveries = 6, .delivered = 4, .unfinished = 2};
  report.stated = report.counted;
  report.expired = 3;
  return report;
}

TEST(Report, SaysThatASoundDirectoryIsSound) {
  const std::string text = audit_text(sound());
  EXPECT_THAT(text, StartsWith("Sound:"));
  EXPECT_THAT(text, HasSubstr("\nunfinished              2            2\n"));
  EXPECT_THAT(text, EndsWith("Up to commit 7; 20 records read.\n"));
}

TEST(Report, NamesTheProblemsAndHowManyMoreThereAre) {
  store::AuditReport report = sound();
  report.problems = {"one thing", "another"};
  report.problems_more = 3;
  const std::string text = audit_text(report);
  EXPECT_THAT(text, StartsWith("NOT SOUND: 5 problems.\n  - one thing\n  - another\n"));
  EXPECT_THAT(text, HasSubstr("and 3 more"));
}

TEST(Report, JsonHoldsEveryCount) {
  EXPECT_EQ(audit_json(sound()),
            R"("sound":true,"commit":7,"records":20,)"
            R"("counted":{"events":5,"deliveries":6,"delivered":4,"dropped":0,"cancelled":0,)"
            R"("unfinished":2},)"
            R"("stated":{"events":5,"deliveries":6,"delivered":4,"dropped":0,"cancelled":0,)"
            R"("unfinished":2},"expired":3,"problems":[],"problems_more":0)");
}

TEST(Report, JsonStringsAreEscaped) {
  EXPECT_EQ(json_string("a\"b\\c\nd"), R"("a\"b\\c\u000ad")");
  EXPECT_EQ(json_string("größe"), "\"größe\"");
}

}  // namespace
}  // namespace operate
