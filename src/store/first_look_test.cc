#include "store/first_look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "store/codec.h"
#include "store/upkeep_rig.h"

namespace store {
namespace {

using base::ErrorCode;
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
  std::ofstream(path, std::ios::binary) << bytes;
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

}  // namespace
}  // namespace store
