#include "store/first_look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "store/codec.h"
#include "store/upkeep_rig.h"

namespace store {
namespace {

using base::ErrorCode;
using testing::AllOf;
using testing::HasSubstr;

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// But for RocksDB's diary and lock, which everybody who comes by leaves.
std::map<std::string, std::string> contents(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const std::string name = entry.path().filename();
    if (entry.is_regular_file() && !name.starts_with("LO")) {
      files[entry.path()] = bytes_of(entry.path());
    }
  }
  return files;
}

void write_bytes(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A log's records, each with its head (checksum, length, kind). All of them are in one block, so
// that each can stand anywhere.
std::vector<std::string> records_of(const fs::path& log) {
  constexpr size_t kBlock = 32768;
  constexpr size_t kHead = 7;
  const std::string bytes = bytes_of(log);
  CHECK_LT(bytes.size(), kBlock);
  std::vector<std::string> records;
  for (size_t at = 0; at < bytes.size(); at += records.back().size()) {
    const size_t low = static_cast<uint8_t>(bytes.at(at + 4));
    const size_t high = static_cast<uint8_t>(bytes.at(at + 5));
    records.push_back(bytes.substr(at, kHead + low + 256 * high));
  }
  return records;
}

std::string join(std::span<const std::string> records) {
  std::string bytes;
  for (const std::string& record : records) {
    bytes += record;
  }
  return bytes;
}

fs::path last_log(const std::string& directory) {
  fs::path last;
  for (const auto& entry : fs::directory_iterator(database_path(directory))) {
    if (entry.path().extension() == ".log" && entry.path() > last) {
      last = entry.path();
    }
  }
  return last;
}

void flip_a_bit(const fs::path& path, size_t at) {
  std::string bytes = bytes_of(path);
  bytes.at(at) = static_cast<char>(bytes[at] ^ 1);
  write_bytes(path, bytes);
}

class FirstLookTest : public testing::Test {
 protected:
  FirstLookTest() {
    for (int count = 0; count < 20; ++count) {
      rig_.publish(kRigStart, {.payload = std::string(500, 'x')});
    }
    rig_.close();
  }

  std::string refusal(ErrorCode code) {
    const auto engine = Engine::open({.directory = rig_.directory()});
    if (engine.has_value()) {
      return "opened";
    }
    EXPECT_EQ(engine.error().code, code);
    return engine.error().detail;
  }

  UpkeepRig rig_;
};

TEST_F(FirstLookTest, ADamagedLogIsRefusedAndLeftAsItIsSoThatItCanBeMended) {
  const fs::path log = last_log(rig_.directory());
  const size_t middle = fs::file_size(log) / 2;
  flip_a_bit(log, middle);
  const auto before = contents(rig_.directory());
  EXPECT_THAT(refusal(ErrorCode::kCorrupt), HasSubstr("commits are lost"));
  EXPECT_EQ(contents(rig_.directory()), before);
  flip_a_bit(log, middle);
  rig_.open();
  EXPECT_EQ(rig_.engine().standing().totals.events, 20U);
}

TEST_F(FirstLookTest, ALossThatIsAcceptedIsNoReasonToRefuse) {
  const fs::path log = last_log(rig_.directory());
  flip_a_bit(log, fs::file_size(log) / 2);
  {
    const auto engine = Engine::open({.directory = rig_.directory(), .accept_loss = true});
    ASSERT_TRUE(engine.has_value());
    EXPECT_LT((*engine)->standing().totals.events, 20U);
  }
  rig_.open();  // and from then on it is whole
  EXPECT_TRUE(rig_.audit().ok());
}

TEST_F(FirstLookTest, ADirectoryOfANewerVersionIsRefusedAndLeftAsItIs) {
  {
    const std::unique_ptr<Database> database = rig_.open_raw();
    ASSERT_TRUE(database->db()
                    .Put({}, std::string(kFormatKey), encode_number(kFormatKey, kFormatVersion + 1))
                    .ok());
  }
  const auto before = contents(rig_.directory());
  EXPECT_THAT(refusal(ErrorCode::kInvalid), HasSubstr("use a newer Postrider"));
  EXPECT_EQ(contents(rig_.directory()), before);
}

TEST_F(FirstLookTest, ADatabaseThatIsGoneIsNotBegunAnew) {
  fs::remove_all(database_path(rig_.directory()));
  EXPECT_THAT(refusal(ErrorCode::kCorrupt), HasSubstr("commits are lost"));
  EXPECT_FALSE(fs::exists(database_path(rig_.directory())));
}

// What a process leaves that dies before RocksDB has noted how long the log before the last one
// was: two logs, of which the manifest says nothing.
class TwoLogsTest : public FirstLookTest {
 protected:
  static constexpr size_t kInFirst = 8;  // records

  TwoLogsTest() : first_(last_log(rig_.directory())), records_(records_of(first_)) {
    second_ = first_.parent_path() / "000999.log";
    keep(kInFirst);
    write_bytes(second_, join(std::span(records_).subspan(kInFirst)));
  }

  // Of the first log.
  void keep(size_t count) { write_bytes(first_, join(std::span(records_).first(count))); }

  fs::path first_;
  fs::path second_;
  std::vector<std::string> records_;
};

TEST_F(TwoLogsTest, AreReadAsOne) {
  rig_.open();
  EXPECT_EQ(rig_.engine().standing().totals.events, 20U);
}

TEST_F(TwoLogsTest, ACutOfTheFirstBetweenTwoCommitsIsRefusedAndLeftAsItIs) {
  for (const size_t kept : {size_t{1}, size_t{4}, kInFirst - 1}) {
    keep(kept);
    const auto before = contents(rig_.directory());
    EXPECT_THAT(refusal(ErrorCode::kCorrupt),
                AllOf(HasSubstr("000999.log"),
                      HasSubstr(kept + 1 == kInFirst ? "1 commit is lost" : "commits are lost")));
    EXPECT_EQ(contents(rig_.directory()), before);
  }
  keep(kInFirst);
  rig_.open();
  EXPECT_EQ(rig_.engine().standing().totals.events, 20U);
}

TEST_F(TwoLogsTest, TheFirstCannotBeMissing) {
  fs::remove(first_);
  EXPECT_THAT(refusal(ErrorCode::kCorrupt), HasSubstr("commits are lost"));
}

TEST_F(TwoLogsTest, TheSecondOfAnotherTimeIsRefused) {
  write_bytes(second_, join(std::span(records_).subspan(kInFirst - 2)));
  EXPECT_THAT(refusal(ErrorCode::kCorrupt), HasSubstr("the logs do not belong together"));
}

TEST_F(TwoLogsTest, ACutThatIsAcceptedIsNoReasonToRefuse) {
  keep(kInFirst - 3);
  ASSERT_TRUE(Engine::open({.directory = rig_.directory(), .accept_loss = true}).has_value());
  rig_.open();  // what is left is in the tables now
  EXPECT_FALSE(rig_.audit().ok());
}

}  // namespace
}  // namespace store
