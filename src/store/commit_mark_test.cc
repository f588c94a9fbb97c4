#include "store/commit_mark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace store {
namespace {

using ::testing::HasSubstr;

constexpr size_t kSlots[] = {0, 512};

class CommitMarkTest : public ::testing::Test {
 protected:
  CommitMarkTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mark-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    path_ = directory_ / "commit.mark";
  }
  ~CommitMarkTest() override { std::filesystem::remove_all(directory_); }

  CommitMark open() const {
    base::Result<CommitMark> mark = CommitMark::open(path_);
    EXPECT_TRUE(mark.has_value());
    return std::move(*mark);
  }
  uint64_t read() const {
    const base::Result<uint64_t> commit = read_commit_mark(path_);
    EXPECT_TRUE(commit.has_value());
    return *commit;
  }
  void write(uint64_t from, uint64_t to) const {
    CommitMark mark = open();
    for (uint64_t commit = from; commit <= to; ++commit) {
      ASSERT_TRUE(mark.write(commit).has_value());
    }
  }
  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void replace(const std::string& bytes) const {
    std::filesystem::remove(path_);
    std::ofstream(path_, std::ios::binary) << bytes;
  }

  std::filesystem::path directory_;
  std::filesystem::path path_;
};

TEST_F(CommitMarkTest, KnowsNothingAtFirst) {
  EXPECT_EQ(read(), 0U);
  EXPECT_FALSE(std::filesystem::exists(path_)) << "reading creates nothing";
  EXPECT_EQ(open().last(), 0U);
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(CommitMarkTest, RemembersTheLastCommit) {
  write(1, 5);
  EXPECT_EQ(read(), 5U);
  EXPECT_EQ(open().last(), 5U);
  write(6, 6);
  EXPECT_EQ(read(), 6U);
}

TEST_F(CommitMarkTest, ReopeningDoesNotWriteOverTheNewestSlot) {
  for (uint64_t commit = 1; commit <= 4; ++commit) {
    write(10 * commit, 10 * commit);
    const std::string before = bytes();
    CommitMark mark = open();
    EXPECT_EQ(mark.last(), 10 * commit);
    ASSERT_TRUE(mark.write(10 * commit + 1).has_value());
    const std::string after = bytes();
    int changed = 0;
    for (const size_t place : kSlots) {
      changed += before.substr(place, 16) != after.substr(place, 16) ? 1 : 0;
    }
    EXPECT_EQ(changed, 1) << "one slot per commit";
  }
}

TEST_F(CommitMarkTest, ATornWriteLeavesTheCommitBefore) {
  write(1, 7);
  const std::string before = bytes();
  write(8, 8);
  const std::string after = bytes();
  for (size_t written = 1; written < 16; ++written) {
    std::string torn = before;
    for (const size_t place : kSlots) {
      torn.replace(place, written, after.substr(place, written));
    }
    replace(torn);
    EXPECT_THAT(read(), ::testing::AnyOf(7U, 8U)) << written << " bytes written";
  }
}

TEST_F(CommitMarkTest, NoFlippedBitMakesItClaimMore) {
  write(1, 9);
  const std::string whole = bytes();
  for (const size_t slot : kSlots) {
    for (size_t bit = 0; bit < 16 * 8; ++bit) {
      std::string damaged = whole;
      char& byte = damaged[slot + bit / 8];
      byte = static_cast<char>(byte ^ (1 << (bit % 8)));
      replace(damaged);
      ASSERT_THAT(read(), ::testing::AnyOf(8U, 9U)) << "slot " << slot << ", bit " << bit;
    }
  }
}

TEST_F(CommitMarkTest, AShortFileSaysAtMostLess) {
  write(1, 9);
  const std::string whole = bytes();
  for (size_t length = 0; length < whole.size(); ++length) {
    replace(whole.substr(0, length));
    ASSERT_THAT(read(), ::testing::AnyOf(0U, 8U, 9U)) << length << " bytes";
  }
}

TEST_F(CommitMarkTest, OpensAndRepairsAFileThatSaysNothing) {
  replace("garbage");
  CommitMark mark = open();
  EXPECT_EQ(mark.last(), 0U);
  ASSERT_TRUE(mark.write(3).has_value());
  EXPECT_EQ(read(), 3U);
}

TEST_F(CommitMarkTest, ResetForgetsWhatWasLost) {
  write(1, 9);
  CommitMark mark = open();
  ASSERT_TRUE(mark.reset(4).has_value());
  EXPECT_EQ(mark.last(), 4U);
  EXPECT_EQ(read(), 4U);
  ASSERT_TRUE(mark.write(5).has_value());
  EXPECT_EQ(read(), 5U);
}

TEST_F(CommitMarkTest, FailsWithTheNameOfAFileThatCannotBeOpened) {
  const base::Result<CommitMark> mark = CommitMark::open(directory_ / "missing" / "commit.mark");
  ASSERT_FALSE(mark.has_value());
  EXPECT_EQ(mark.error().code, base::ErrorCode::kIo);
  EXPECT_THAT(mark.error().detail, HasSubstr("missing/commit.mark"));
}

TEST(CheckCommitMark, AcceptsADatabaseThatHasAllOfIt) {
  EXPECT_TRUE(check_commit_mark("commit.mark", 0, 0).has_value());
  EXPECT_TRUE(check_commit_mark("commit.mark", 7, 7).has_value());
  EXPECT_TRUE(check_commit_mark("commit.mark", 7, 8).has_value()) << "the mark may be older";
}

TEST(CheckCommitMark, NamesFileAndCountOfWhatIsLost) {
  const base::Result<void> verdict = check_commit_mark("/data/commit.mark", 44, 41);
  ASSERT_FALSE(verdict.has_value());
  EXPECT_EQ(verdict.error().code, base::ErrorCode::kCorrupt);
  EXPECT_EQ(verdict.error().detail,
            "/data/commit.mark says that commit 44 was safely stored, but the database ends at "
            "commit 41: 3 commits are lost");
}

TEST(CheckCommitMark, CountsOneCommitInTheSingular) {
  const base::Result<void> verdict = check_commit_mark("commit.mark", 1, 0);
  ASSERT_FALSE(verdict.has_value());
  EXPECT_THAT(verdict.error().detail, HasSubstr(": 1 commit is lost"));
}

}  // namespace
}  // namespace store
