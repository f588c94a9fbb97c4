#include "model/outcome_words.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

namespace model {
namespace {

TEST(OutcomeWordsTest, EveryKindHasANameAndASentenceOfItsOwn) {
  std::set<std::string> names;
  std::set<std::string> sentences;
  for (int kind = 0; kind <= static_cast<int>(OutcomeKind::kNotStarted); ++kind) {
    const Outcome outcome{.kind = static_cast<OutcomeKind>(kind)};
    names.emplace(name_of(outcome.kind));
    sentences.insert(describe(outcome));
  }
  EXPECT_EQ(names.size(), 9U);
  EXPECT_EQ(sentences.size(), 9U);
}

TEST(OutcomeWordsTest, ATimeoutNamesItsPhase) {
  const Outcome outcome{.kind = OutcomeKind::kTimeout, .reason = OutcomeReason::kInConnect};
  EXPECT_EQ(name_of(outcome.reason), "in_connect");
  EXPECT_EQ(describe(outcome), "The deadline passed while connecting; the host does not answer");
}

TEST(OutcomeWordsTest, AResponseShowsItsStatus) {
  EXPECT_EQ(describe({.status = 503}), "The receiver answered with status 503");
}

TEST(OutcomeWordsTest, SpecificsFollowTheSentence) {
  AttemptDetail detail;
  detail.explanation = "a loopback address, this machine itself";
  const Outcome outcome{.kind = OutcomeKind::kAddressRefused,
                        .detail = std::make_shared<const AttemptDetail>(detail)};
  EXPECT_EQ(describe(outcome),
            "Postrider does not send to this target: a loopback address, this machine itself");
}

TEST(OutcomeTest, DetailsAreNoPartOfTheValue) {
  const Outcome plain{.status = 200};
  const Outcome detailed{.status = 200, .detail = std::make_shared<const AttemptDetail>()};
  EXPECT_EQ(plain, detailed);
  EXPECT_NE(plain, (Outcome{.status = 201}));
}

}  // namespace
}  // namespace model
