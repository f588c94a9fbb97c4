// RocksDB on a disk that somebody else fills: writes wait, nothing aborts, nothing is lost.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/check.h"
#include "base/prng.h"
#include "store/commit_mark.h"
#include "store/room_file_system.h"
#include "tests/store/small_disk.h"

namespace store {
namespace {

constexpr std::chrono::seconds kDeadline{60};
constexpr uint64_t kDiskMebibytes = 48;
constexpr uint64_t kKeys = 2000;  // overwritten in turn, so that the disk never fills by ourselves

// A thread that waits for a condition of others.
class Signal {
 public:
  void change(const std::function<void()>& how) {
    const std::scoped_lock lock(mutex_);
    how();
    changed_.notify_all();
  }
  bool wait(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kDeadline, condition);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

std::string key_of(uint64_t number) { return "key" + std::to_string(number % kKeys); }

// Incompressible, and different for each number.
std::string value_of(uint64_t number) {
  base::Prng prng(number);
  std::string value = std::to_string(number) + " ";
  while (value.size() < 1024) {
    value += static_cast<char>(prng.next());
  }
  return value;
}

uint64_t number_in(const std::string& value) { return std::stoull(value); }

rocksdb::Options database_options(rocksdb::Env* env) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.env = env;
  // Small, so that flushes, new logs, compactions and manifests meet the full disk as well.
  options.write_buffer_size = 512U << 10U;
  options.target_file_size_base = 512U << 10U;
  options.max_manifest_file_size = 8U << 10U;
  options.compression = rocksdb::kNoCompression;
  return options;
}

// One database, on one file system that waits.
class Database {
 public:
  explicit Database(const SmallDisk& disk)
      : path_(disk.path() / "database"),
        files_(std::make_shared<RoomFileSystem>(RoomOptions{
            .poll = std::chrono::milliseconds(2),
            .on_waiting =
                [this](bool is_waiting) { signal_.change([&] { is_waiting_ = is_waiting; }); }})),
        env_(rocksdb::NewCompositeEnv(files_)) {}

  rocksdb::Status open() {
    rocksdb::DB* database = nullptr;
    const rocksdb::Status status =
        rocksdb::DB::Open(database_options(env_.get()), path_, &database);
    database_.reset(database);
    return status;
  }
  rocksdb::Status put(uint64_t number) {
    rocksdb::WriteOptions durable;
    durable.sync = true;
    return database_->Put(durable, key_of(number), value_of(number));
  }
  bool has(uint64_t number) {
    std::string value;
    return database_->Get({}, key_of(number), &value).ok() && value == value_of(number);
  }
  bool await_waiting(bool is_waiting) {
    return signal_.wait([&] { return is_waiting_ == is_waiting; });
  }
  void close() { database_.reset(); }
  rocksdb::DB& raw() { return *database_; }
  RoomFileSystem& files() { return *files_; }

 private:
  std::string path_;
  Signal signal_;
  bool is_waiting_ = false;
  std::shared_ptr<RoomFileSystem> files_;
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> database_;
};

// Writes numbers in order until told to end or a write fails.
class Writer {
 public:
  Writer(Database& database, uint64_t first)
      : database_(database), next_(first), thread_([this] { run(); }) {}
  ~Writer() { end(); }

  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void end() {
    is_ending_ = true;
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  // The first number that is not known to be stored.
  uint64_t next() const { return next_; }
  bool await(uint64_t number) {
    bool has_failed = false;
    const bool is_done = signal_.wait([&] {
      has_failed = !failure_.ok();
      return next_ >= number || has_failed;
    });
    return is_done && !has_failed;
  }
  const rocksdb::Status& failure() const { return failure_; }  // after end()

 private:
  void run() {
    while (!is_ending_) {
      const rocksdb::Status status = database_.put(next_);
      signal_.change([&] {
        failure_ = status;
        next_ += status.ok() ? 1 : 0;
      });
      if (!status.ok()) {
        return;
      }
    }
  }

  Database& database_;
  Signal signal_;
  std::atomic<bool> is_ending_ = false;
  std::atomic<uint64_t> next_;
  rocksdb::Status failure_;
  std::thread thread_;
};

// Every key holds the newest number that was stored under it.
void expect_all(Database& database, uint64_t next) {
  const uint64_t first = next > kKeys ? next - kKeys : 0;
  for (uint64_t number = first; number < next; ++number) {
    ASSERT_TRUE(database.has(number)) << "lost " << number << " of " << next;
  }
}

void expect_reads_work(Database& database, uint64_t stored) {
  EXPECT_TRUE(database.has(stored - 1));
  const rocksdb::Snapshot* snapshot = database.raw().GetSnapshot();
  rocksdb::ReadOptions options;
  options.snapshot = snapshot;
  const std::unique_ptr<rocksdb::Iterator> rows(database.raw().NewIterator(options));
  uint64_t newest = 0;
  for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {
    newest = std::max(newest, number_in(rows->value().ToString()));
  }
  EXPECT_TRUE(rows->status().ok()) << rows->status().ToString();
  EXPECT_GE(newest, stored - 1);
  database.raw().ReleaseSnapshot(snapshot);
}

// Without our file system: what it is there for. Declared first, and each test of ctest is a
// process of its own: in a fork of a process that has used RocksDB its background threads are
// missing, and without them nothing aborts.
TEST(FullDiskDeathTest, AbortsRocksDbOnItsOwn) {
  const SmallDisk disk(DiskKind::kTmpfs, kDiskMebibytes);
  const auto write_until_the_end = [&disk] {
    rocksdb::DB* database = nullptr;
    CHECK(rocksdb::DB::Open(database_options(rocksdb::Env::Default()),
                            (disk.path() / "database").string(), &database)
              .ok());
    disk.fill();
    rocksdb::WriteOptions durable;
    durable.sync = true;
    for (uint64_t number = 0; number < 20'000; ++number) {
      database->Put(durable, key_of(number), value_of(number)).PermitUncheckedError();
    }
    ::_exit(0);
  };
  EXPECT_EXIT(write_until_the_end(), ::testing::KilledBySignal(SIGABRT), "");
}

void fill_and_empty(const SmallDisk& disk, Database& database, Writer& writer) {
  ASSERT_TRUE(writer.await(writer.next() + 200));
  disk.fill();
  ASSERT_TRUE(database.await_waiting(true));
  EXPECT_TRUE(database.files().room().waiting_for().has_value());
  expect_reads_work(database, writer.next());
  disk.empty();
  ASSERT_TRUE(database.await_waiting(false));
}

void fill_and_empty_often(DiskKind kind, uint64_t mebibytes, int cycles) {
  const SmallDisk disk(kind, mebibytes);
  Database database(disk);
  ASSERT_TRUE(database.open().ok());
  Writer writer(database, 0);
  for (int cycle = 0; cycle < cycles && !::testing::Test::HasFailure(); ++cycle) {
    SCOPED_TRACE("cycle " + std::to_string(cycle));
    fill_and_empty(disk, database, writer);
  }
  ASSERT_TRUE(writer.await(writer.next() + 200));
  writer.end();
  ASSERT_TRUE(writer.failure().ok()) << writer.failure().ToString();
  expect_all(database, writer.next());
  database.close();
  Database reopened(disk);
  ASSERT_TRUE(reopened.open().ok());
  expect_all(reopened, writer.next());
  ::testing::Test::RecordProperty("written", std::to_string(writer.next()));
  ::testing::Test::RecordProperty("waits", std::to_string(database.files().room().waits()));
}

TEST(FullDisk, WritesWaitAndGoOnWhenRoomReturnsTwentyTimes) {
  fill_and_empty_often(DiskKind::kTmpfs, kDiskMebibytes, 20);
}

TEST(FullDisk, WritesWaitAndGoOnOnExt4) {
  fill_and_empty_often(DiskKind::kExt4, kDiskMebibytes, 3);
}

TEST(FullDisk, WritesWaitAndGoOnOnXfs) { fill_and_empty_often(DiskKind::kXfs, 320, 3); }

TEST(FullDisk, WritesWaitAndGoOnWhereNothingCanBeReserved) {
  fill_and_empty_often(DiskKind::kExt3, kDiskMebibytes, 3);
}

TEST(FullDisk, OpeningWaits) {
  const SmallDisk disk(DiskKind::kTmpfs, kDiskMebibytes);
  disk.fill();
  Database database(disk);
  std::future<rocksdb::Status> opened =
      std::async(std::launch::async, [&] { return database.open(); });
  ASSERT_TRUE(database.await_waiting(true));
  disk.empty();
  EXPECT_TRUE(opened.get().ok());
  EXPECT_TRUE(database.put(1).ok());
}

TEST(FullDisk, StoppedWritesFailWithoutAnAbortAndNothingIsLost) {
  const SmallDisk disk(DiskKind::kTmpfs, kDiskMebibytes);
  uint64_t stored = 0;
  for (int cycle = 0; cycle < 5; ++cycle) {
    Database database(disk);
    ASSERT_TRUE(database.open().ok());
    expect_all(database, stored);
    Writer writer(database, stored);
    ASSERT_TRUE(writer.await(stored + 100 * static_cast<uint64_t>(cycle + 1)));
    disk.fill();
    ASSERT_TRUE(database.await_waiting(true));
    database.files().stop();
    writer.end();
    stored = writer.next();
    expect_all(database, stored);
    database.close();
    disk.empty();
  }
}

TEST(FullDisk, TheDatabaseClosesWhileAFlushWaits) {
  const SmallDisk disk(DiskKind::kTmpfs, kDiskMebibytes);
  Database database(disk);
  ASSERT_TRUE(database.open().ok());
  for (uint64_t number = 0; number < 300; ++number) {
    ASSERT_TRUE(database.put(number).ok());
  }
  disk.fill();
  rocksdb::FlushOptions in_background;
  in_background.wait = false;
  ASSERT_TRUE(database.raw().Flush(in_background).ok());
  ASSERT_TRUE(database.await_waiting(true));
  database.files().stop();
  database.close();
  disk.empty();
  Database reopened(disk);
  ASSERT_TRUE(reopened.open().ok());
  expect_all(reopened, 300);
}

TEST(FullDisk, TheCommitMarkGoesOn) {
  for (const DiskKind kind : {DiskKind::kTmpfs, DiskKind::kExt4, DiskKind::kExt3}) {
    const SmallDisk disk(kind, kDiskMebibytes);
    const std::string path = disk.path() / "commit.mark";
    base::Result<CommitMark> mark = CommitMark::open(path);
    ASSERT_TRUE(mark.has_value());
    disk.fill();
    for (uint64_t commit = 1; commit <= 10; ++commit) {
      ASSERT_TRUE(mark->write(commit).has_value());
    }
    EXPECT_EQ(read_commit_mark(path).value(), 10U);
  }
}

}  // namespace
}  // namespace store
