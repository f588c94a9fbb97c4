#include "store/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "store/restore.h"
#include "store/upkeep_rig.h"

namespace store {
namespace {

using base::ErrorCode;
using model::Delivery;
using testing::HasSubstr;

namespace fs = std::filesystem;

constexpr base::Instant kAt = kRigStart;

class BackupTest : public testing::Test {
 protected:
  base::Result<BackupResult> back_up(const std::string& name) {
    return UpkeepRig::wait_for<base::Result<BackupResult>>(
        [&](auto done) { rig_.engine().backup(rig_.path(name), std::move(done)); });
  }
  base::Result<AuditReport> restore(const std::string& name, const std::string& to) {
    return restore_backup(rig_.path(name), rig_.path(to));
  }
  // Makes a backup and restores it; the rig goes on there.
  void move_to_restored(const std::string& name) {
    const auto made = back_up(name);
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    const auto report = restore(name, name + ".restored");
    ASSERT_TRUE(report.has_value()) << report.error().detail;
    EXPECT_TRUE(report->ok()) << all_problems(*report);
    EXPECT_EQ(report->commit, made->commit);
    rig_.open(rig_.path(name + ".restored"));
  }

  UpkeepRig rig_;
};

TEST_F(BackupTest, WhatIsRestoredIsWhatWasThere) {
  const Delivery delivered = rig_.publish(kAt, {.payload = "one", .unique_key = "key"});
  rig_.deliver(kAt, delivered);
  const Delivery waiting = rig_.fail(kAt, rig_.publish(kAt, {.payload = "two"}));
  const Totals before = rig_.engine().standing().totals;
  move_to_restored("backup");
  EXPECT_EQ(rig_.engine().standing().totals, before);
  EXPECT_EQ(rig_.load_event(delivered.id.sequence())->payload, "one");
  EXPECT_EQ(rig_.load_event(waiting.id.sequence())->payload, "two");
  rig_.deliver(kAt, waiting);
  EXPECT_TRUE(rig_.audit().ok());
}

TEST_F(BackupTest, ABackupStaysWhatItWasWhileTheStoreGoesOn) {
  const Delivery before = rig_.publish(kAt, {.payload = "before"});
  ASSERT_TRUE(back_up("backup").has_value());
  const Delivery after = rig_.publish(kAt, {.payload = "after"});
  rig_.close();
  ASSERT_TRUE(restore("backup", "restored").has_value());
  rig_.open(rig_.path("restored"));
  EXPECT_TRUE(rig_.load_event(before.id.sequence()).has_value());
  EXPECT_FALSE(rig_.load_event(after.id.sequence()).has_value());
}

// Publishes one event after the other, each as soon as the one before is durable.
class Load {
 public:
  explicit Load(UpkeepRig& rig) : rig_(rig) { publish(); }
  ~Load() { stop(); }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  uint64_t acknowledged() const { return acknowledged_; }
  // Waits for the next acknowledgement.
  void stop() {
    if (!is_stopping_.exchange(true)) {
      stopped_.get_future().wait();
    }
  }

 private:
  void publish() {
    Batch batch;
    batch.publishes.push_back(rig_.publish_of(kAt, {.payload = std::string(1000, 'x')}));
    rig_.engine().commit(kAt, std::move(batch), [this](const BatchResult& result) {
      CHECK(result.publishes.front().status == Status::kCommitted);
      acknowledged_ += 1;
      if (is_stopping_) {
        stopped_.set_value();
      } else {
        publish();
      }
    });
  }

  UpkeepRig& rig_;
  std::atomic<uint64_t> acknowledged_ = 0;
  std::atomic<bool> is_stopping_ = false;
  std::promise<void> stopped_;
};

TEST_F(BackupTest, UnderLoadItHoldsEverythingAcknowledgedBeforeItAndIsWhole) {
  Load load(rig_);
  for (int count = 0; count < 5; ++count) {
    const std::string name = "backup" + std::to_string(count);
    const uint64_t acknowledged = load.acknowledged();
    const auto made = back_up(name);
    ASSERT_TRUE(made.has_value()) << made.error().detail;
    EXPECT_GE(made->events, acknowledged);
    const auto report = restore(name, name + ".restored");
    ASSERT_TRUE(report.has_value()) << report.error().detail;
    EXPECT_TRUE(report->ok()) << all_problems(*report);
    EXPECT_EQ(report->counted.events, made->events);
  }
  load.stop();
}

TEST_F(BackupTest, RefusesATargetThatIsThere) {
  fs::create_directory(rig_.path("backup"));
  const auto made = back_up("backup/");
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, ErrorCode::kConflict);
  EXPECT_THAT(made.error().detail, HasSubstr("exists already"));
}

TEST_F(BackupTest, LeavesNothingBehindWhenItFails) {
  const auto made = back_up("no/such/directory");
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, ErrorCode::kIo);
  EXPECT_FALSE(fs::exists(rig_.path("no")));
}

TEST_F(BackupTest, RestoreRefusesADirectoryThatIsNotEmptyAndLeavesItAsItIs) {
  ASSERT_TRUE(back_up("backup").has_value());
  fs::create_directory(rig_.path("full"));
  std::ofstream(rig_.path("full/notes.txt")) << "mine";
  const auto report = restore("backup", "full");
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, ErrorCode::kConflict);
  EXPECT_FALSE(fs::exists(rig_.path("full/db")));
}

TEST_F(BackupTest, RestoreRefusesWhatIsNoBackup) {
  const auto nothing = restore("nowhere", "restored");
  ASSERT_FALSE(nothing.has_value());
  EXPECT_EQ(nothing.error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(back_up("backup").has_value());
  fs::remove(rig_.path("backup/commit.mark"));
  const auto unmarked = restore("backup", "restored");
  ASSERT_FALSE(unmarked.has_value());
  EXPECT_EQ(unmarked.error().code, ErrorCode::kInvalid);
  EXPECT_FALSE(fs::exists(rig_.path("restored")));
}

TEST_F(BackupTest, ARestoreThatWasInterruptedCannotBeOpened) {
  rig_.publish(kAt, {});
  ASSERT_TRUE(back_up("backup").has_value());
  ASSERT_TRUE(restore("backup", "restored").has_value());
  fs::remove(rig_.path("restored/db/CURRENT"));
  const auto engine = Engine::open({.directory = rig_.path("restored")});
  ASSERT_FALSE(engine.has_value());
  EXPECT_EQ(engine.error().code, ErrorCode::kCorrupt);
}

void flip_a_bit(const fs::path& path) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(40);
  const int byte = file.get();
  file.seekp(40);
  file.put(static_cast<char>(byte ^ 1));
}

TEST_F(BackupTest, RestoreSaysSoIfTheBackupIsDamaged) {
  rig_.publish(kAt, {.payload = std::string(1000, 'x')});
  ASSERT_TRUE(back_up("backup").has_value());
  int damaged = 0;
  for (const auto& entry : fs::directory_iterator(rig_.path("backup/db"))) {
    if (entry.path().extension() == ".sst") {
      flip_a_bit(entry.path());
      damaged += 1;
    }
  }
  ASSERT_GT(damaged, 0);
  const auto report = restore("backup", "restored");
  EXPECT_TRUE(!report.has_value() || !report->ok());
}

}  // namespace
}  // namespace store
