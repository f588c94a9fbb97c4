#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/check.h"

namespace base {
namespace {

Result<int> half_of(int number) {
  if (number % 2 != 0) {
    return fail(ErrorCode::kInvalid, std::to_string(number) + " is odd");
  }
  return number / 2;
}

Result<int> quarter_of(int number) {
  TRY(const int half, half_of(number));
  TRY(const int quarter, half_of(half));
  return quarter;
}

Result<std::unique_ptr<int>> boxed(int number) {
  TRY(const int half, half_of(number));
  return std::make_unique<int>(half);
}

Result<int> unboxed(int number) {
  TRY(const std::unique_ptr<int> box, boxed(number));
  return *box;
}

TEST(ResultTest, HoldsAValueOrAnError) {
  EXPECT_EQ(half_of(4).value(), 2);
  const Result<int> failed = half_of(3);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, ErrorCode::kInvalid);
  EXPECT_EQ(failed.error().detail, "3 is odd");
}

TEST(ResultTest, TryUnwrapsEachStep) { EXPECT_EQ(quarter_of(12).value(), 3); }

TEST(ResultTest, TryReturnsTheFirstError) {
  EXPECT_EQ(quarter_of(3).error().detail, "3 is odd");
  EXPECT_EQ(quarter_of(6).error().detail, "3 is odd");
}

TEST(ResultTest, TryMovesWhatCannotBeCopied) {
  EXPECT_EQ(unboxed(8).value(), 4);
  EXPECT_EQ(unboxed(7).error().code, ErrorCode::kInvalid);
}

TEST(CheckTest, WhatHoldsIsEvaluatedOnce) {
  int calls = 0;
  CHECK(++calls == 1);
  CHECK_EQ(++calls, 2);
  EXPECT_EQ(calls, 2);
}

TEST(CheckDeathTest, DiesWithTheConditionAndThePlace) {
  EXPECT_DEATH(CHECK(1 + 1 == 3), "result_test.cc:[0-9]+: CHECK failed: 1 \\+ 1 == 3");
}

TEST(CheckDeathTest, AComparisonDiesWithBothValues) {
  const int left = 3;
  const int right = 4;
  EXPECT_DEATH(CHECK_EQ(left, right), "left == right \\(3 vs 4\\)");
  EXPECT_DEATH(CHECK_NE(left, 3), "\\(3 vs 3\\)");
  EXPECT_DEATH(CHECK_LT(left, 3), "\\(3 vs 3\\)");
  EXPECT_DEATH(CHECK_LE(right, left), "\\(4 vs 3\\)");
  EXPECT_DEATH(CHECK_GT(left, 3), "\\(3 vs 3\\)");
  EXPECT_DEATH(CHECK_GE(left, right), "\\(3 vs 4\\)");
}

}  // namespace
}  // namespace base
