#include "client/receipt.h"

#include <gtest/gtest.h>

namespace client {
namespace {

class Receipt : public testing::Test {
 protected:
  match::JsonValue parsed(std::string_view text) { return *parser_.parse(text); }

 private:
  match::JsonParser parser_;
};

TEST_F(Receipt, SaysWhoWantsTheEvent) {
  EXPECT_EQ(accepted_text(parsed(R"({"id":"evt_1","matched":1,"deliveries":[)"
                                 R"({"id":"dlv_1","subscription":"sub_1","endpoint":"ep_1"}]})"),
                          false),
            "Accepted evt_1: 1 subscription, 1 delivery.\n"
            "  delivery dlv_1  subscription sub_1  endpoint ep_1\n");
}

TEST_F(Receipt, SaysThatNobodyWantsIt) {
  EXPECT_EQ(accepted_text(parsed(R"({"id":"evt_1","matched":0,"deliveries":[],)"
                                 R"("unmatched_reason":"there is no subscription"})"),
                          false),
            "Accepted evt_1: no subscription wants it: there is no subscription.\n");
}

TEST_F(Receipt, SaysThatItIsARepeat) {
  EXPECT_TRUE(accepted_text(parsed(R"({"id":"mine","matched":0,"deliveries":[]})"), true)
                  .starts_with("Already accepted mine: "));
}

TEST_F(Receipt, ALineThatWasRefusedSaysWhy) {
  const match::JsonValue line = parsed(
      R"({"line":1,"status":400,"error":{"code":"invalid","message":"the event has no type",)"
      R"("field":"type","hint":"add one"}})");
  EXPECT_EQ(line_text(1001, line),
            "line 1001: refused with 400: the event has no type (field type); add one\n");
  EXPECT_EQ(line_json(1001, line),
            R"({"line":1001,"status":400,"code":"invalid","message":"the event has no type",)"
            R"("field":"type"})"
            "\n");
}

TEST_F(Receipt, ALineThatWasAcceptedHasItsId) {
  const match::JsonValue line =
      parsed(R"({"line":1,"status":202,"id":"evt_1","matched":1,"deliveries":[{"id":"dlv_1"}]})");
  EXPECT_EQ(line_text(2, line), "line 2: accepted evt_1, 1 delivery\n");
  EXPECT_EQ(line_json(2, line),
            R"({"line":2,"status":202,"id":"evt_1","matched":1,"deliveries":["dlv_1"]})"
            "\n");
}

TEST_F(Receipt, AnythingElseIsNoProblemText) {
  EXPECT_EQ(problem_text(match::JsonValue()), "");
  EXPECT_EQ(problem_text(parsed("[]")), "");
}

}  // namespace
}  // namespace client
