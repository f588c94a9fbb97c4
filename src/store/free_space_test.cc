#include "store/free_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace store {
namespace {

using ::testing::HasSubstr;

constexpr uint64_t kMebibyte = 1ULL << 20U;
constexpr uint64_t kGibibyte = 1ULL << 30U;

SpaceJudge judge_with(uint64_t reserve, uint64_t hysteresis) {
  return SpaceJudge({.reserve_bytes = reserve, .hysteresis_bytes = hysteresis});
}

TEST(SpaceJudge, AcceptsDownToTheReserve) {
  SpaceJudge judge = judge_with(1000, 100);
  EXPECT_TRUE(judge.accepts());
  EXPECT_TRUE(judge.judge(5000));
  EXPECT_TRUE(judge.judge(1000));
}

TEST(SpaceJudge, RefusesBelowTheReserve) {
  SpaceJudge judge = judge_with(1000, 100);
  EXPECT_FALSE(judge.judge(999));
  EXPECT_FALSE(judge.accepts());
  EXPECT_FALSE(judge.judge(0));
}

TEST(SpaceJudge, RefusesUntilReserveAndHysteresisAreFree) {
  SpaceJudge judge = judge_with(1000, 100);
  judge.judge(999);
  EXPECT_FALSE(judge.judge(1000));
  EXPECT_FALSE(judge.judge(1099));
  EXPECT_TRUE(judge.judge(1100));
}

TEST(SpaceJudge, AcceptsInsideTheHysteresisWhenItCameFromAbove) {
  SpaceJudge judge = judge_with(1000, 100);
  EXPECT_TRUE(judge.judge(2000));
  EXPECT_TRUE(judge.judge(1050));
}

TEST(SpaceJudge, AReserveOfNothingNeverRefuses) {
  SpaceJudge judge = judge_with(0, 0);
  EXPECT_TRUE(judge.judge(0));
}

TEST(SpaceJudge, LimitsNearTheLargestNumberDoNotOverflow) {
  SpaceJudge judge = judge_with(UINT64_MAX - 10, 100);
  EXPECT_FALSE(judge.judge(0));
  EXPECT_FALSE(judge.judge(UINT64_MAX));
}

TEST(SpaceJudge, TheReasonNamesBothFigures) {
  SpaceJudge judge = judge_with(256 * kMebibyte, 32 * kMebibyte);
  judge.judge(100 * kMebibyte);
  const std::string reason = judge.reason(100 * kMebibyte);
  EXPECT_THAT(reason, HasSubstr("100 MiB are free"));
  EXPECT_THAT(reason, HasSubstr("from 288 MiB"));
}

TEST(DefaultSpaceLimits, AreAFiftiethOfALargeDisk) {
  EXPECT_EQ(default_space_limits(1000 * kGibibyte).reserve_bytes, 20 * kGibibyte);
}

TEST(DefaultSpaceLimits, AreAQuarterGibibyteOnASmallDisk) {
  const SpaceLimits limits = default_space_limits(4 * kGibibyte);
  EXPECT_EQ(limits.reserve_bytes, 256 * kMebibyte);
  EXPECT_EQ(limits.hysteresis_bytes, 32 * kMebibyte);
}

TEST(ReadDiskSpace, ReadsTheFileSystemOfADirectory) {
  const base::Result<DiskSpace> space = read_disk_space("/");
  ASSERT_TRUE(space.has_value()) << space.error().detail;
  EXPECT_GT(space->total_bytes, 0U);
  EXPECT_LE(space->available_bytes, space->total_bytes);
}

TEST(ReadDiskSpace, NamesTheDirectoryThatCannotBeRead) {
  const base::Result<DiskSpace> space = read_disk_space("/there/is/no/such/directory");
  ASSERT_FALSE(space.has_value());
  EXPECT_EQ(space.error().code, base::ErrorCode::kIo);
  EXPECT_THAT(space.error().detail, HasSubstr("/there/is/no/such/directory"));
}

}  // namespace
}  // namespace store
