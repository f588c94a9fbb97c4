// One file on a small disk, on each kind of file system: what is in it is exactly what was
// appended, whatever was reserved, refused and waited for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <future>
#include <memory>
#include <string>

#include "base/prng.h"
#include "store/room_file_system.h"
#include "tests/store/small_disk.h"

namespace store {
namespace {

using rocksdb::FSWritableFile;

constexpr std::chrono::seconds kDeadline{60};
constexpr uint64_t kMebibyte = 1ULL << 20U;

std::string noise(size_t size) {
  base::Prng prng(size);
  std::string bytes(size, ' ');
  for (char& byte : bytes) {
    byte = static_cast<char>(prng.next());
  }
  return bytes;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// XFS makes no file systems below 300 MiB.
uint64_t size_of(DiskKind kind) { return kind == DiskKind::kXfs ? 320 : 24; }

class RoomFileTest : public ::testing::TestWithParam<DiskKind> {
 protected:
  RoomFileTest()
      : disk_(GetParam(), size_of(GetParam())),
        path_(disk_.path() / "000001.log"),
        files_({.poll = std::chrono::milliseconds(2), .on_waiting = [this](bool is_waiting) {
                  if (is_waiting) {
                    waits_.set_value();
                  }
                }}) {}

  std::unique_ptr<FSWritableFile> create(const std::string& path) {
    std::unique_ptr<FSWritableFile> file;
    const rocksdb::IOStatus status = files_.NewWritableFile(path, {}, &file, nullptr);
    EXPECT_TRUE(status.ok()) << status.ToString();
    return file;
  }
  std::unique_ptr<FSWritableFile> create() { return create(path_); }

  // In a thread of its own, since it may wait.
  static std::future<rocksdb::IOStatus> append(FSWritableFile& file, const std::string& bytes) {
    return std::async(std::launch::async,
                      [&file, bytes] { return file.Append(bytes, {}, nullptr); });
  }
  bool await_waiting() {
    return waits_.get_future().wait_for(kDeadline) == std::future_status::ready;
  }
  uint64_t allocated_bytes() const {
    struct stat found{};
    EXPECT_EQ(::stat(path_.c_str(), &found), 0);
    return static_cast<uint64_t>(found.st_blocks) * 512;
  }

  SmallDisk disk_;
  std::filesystem::path path_;
  std::promise<void> waits_;
  RoomFileSystem files_;
};

TEST_P(RoomFileTest, HoldsExactlyWhatWasAppended) {
  const std::unique_ptr<FSWritableFile> file = create();
  std::string expected;
  for (size_t size = 1; size < 300'000; size = size * 3 + 1) {
    ASSERT_TRUE(file->Append(noise(size), {}, nullptr).ok());
    expected += noise(size);
    ASSERT_EQ(std::filesystem::file_size(path_), expected.size()) << "reservations are no contents";
    ASSERT_EQ(file->GetFileSize({}, nullptr), expected.size());
  }
  ASSERT_TRUE(file->Sync({}, nullptr).ok());
  EXPECT_EQ(text_of(path_), expected);
  ASSERT_TRUE(file->Close({}, nullptr).ok());
  EXPECT_EQ(text_of(path_), expected);
}

TEST_P(RoomFileTest, ClosingGivesReservationsBack) {
  const std::unique_ptr<FSWritableFile> file = create();
  ASSERT_TRUE(file->Append(noise(600'000), {}, nullptr).ok());
  if (GetParam() != DiskKind::kExt3) {
    EXPECT_GT(allocated_bytes(), 1'000'000U) << "as much again was reserved";
  }
  ASSERT_TRUE(file->Sync({}, nullptr).ok());
  ASSERT_TRUE(file->Close({}, nullptr).ok());
  EXPECT_LT(allocated_bytes(), 620'000U);
}

TEST_P(RoomFileTest, AnAppendThatStoppedHalfWayGoesOnThere) {
  const std::unique_ptr<FSWritableFile> file = create();
  const std::string first = noise(1000);
  const std::string second = noise(2 * kMebibyte + 77);
  ASSERT_TRUE(file->Append(first, {}, nullptr).ok());
  disk_.fill();
  std::future<rocksdb::IOStatus> appended = append(*file, second);
  ASSERT_TRUE(await_waiting());
  disk_.free_bytes(kMebibyte);
  EXPECT_NE(appended.wait_for(std::chrono::milliseconds(20)), std::future_status::ready)
      << "half is not enough";
  disk_.empty();
  ASSERT_EQ(appended.wait_for(kDeadline), std::future_status::ready);
  ASSERT_TRUE(appended.get().ok());
  ASSERT_TRUE(file->Sync({}, nullptr).ok());
  ASSERT_TRUE(file->Close({}, nullptr).ok());
  EXPECT_EQ(text_of(path_), first + second);
}

TEST_P(RoomFileTest, AStoppedAppendFailsAsAnOrdinaryError) {
  const std::unique_ptr<FSWritableFile> file = create();
  disk_.fill();
  std::future<rocksdb::IOStatus> appended = append(*file, noise(2 * kMebibyte));
  ASSERT_TRUE(await_waiting());
  files_.stop();
  ASSERT_EQ(appended.wait_for(kDeadline), std::future_status::ready);
  const rocksdb::IOStatus status = appended.get();
  EXPECT_TRUE(status.IsIOError());
  EXPECT_FALSE(status.IsNoSpace()) << "RocksDB would try to recover by itself";
  EXPECT_THAT(status.ToString(), ::testing::HasSubstr(path_));
}

TEST_P(RoomFileTest, TheDiaryNeitherWaitsNorFails) {
  const std::unique_ptr<FSWritableFile> file = create(disk_.path() / "LOG");
  disk_.fill();
  EXPECT_TRUE(file->Append(noise(2 * kMebibyte), {}, nullptr).ok());
  EXPECT_EQ(files_.room().waits(), 0U);
}

TEST_P(RoomFileTest, AReopenedFileGrowsAtItsEnd) {
  ASSERT_TRUE(create()->Append("one ", {}, nullptr).ok());
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(files_.ReopenWritableFile(path_, {}, &file, nullptr).ok());
  ASSERT_TRUE(file->Append("two", {}, nullptr).ok());
  EXPECT_EQ(file->GetFileSize({}, nullptr), 7U);
  file.reset();
  EXPECT_EQ(text_of(path_), "one two");
}

TEST_P(RoomFileTest, AReusedFileTakesANewName) {
  ASSERT_TRUE(create()->Append("old contents", {}, nullptr).ok());
  const std::string renamed = disk_.path() / "000002.log";
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(files_.ReuseWritableFile(renamed, path_, {}, &file, nullptr).ok());
  ASSERT_TRUE(file->Append("new", {}, nullptr).ok());
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_THAT(text_of(renamed), ::testing::StartsWith("new"));
}

TEST_P(RoomFileTest, CountsSyncs) {
  const std::unique_ptr<FSWritableFile> file = create();
  ASSERT_TRUE(file->Append("something", {}, nullptr).ok());
  ASSERT_TRUE(file->Sync({}, nullptr).ok());
  ASSERT_TRUE(file->Fsync({}, nullptr).ok());
  const SyncFigures figures = files_.syncs();
  EXPECT_EQ(figures.count, 2U);
  EXPECT_EQ(figures.failed, 0U);
  EXPECT_GE(figures.total, figures.longest);
  EXPECT_GT(figures.longest.count(), 0);
}

TEST_P(RoomFileTest, RefusesToGoAroundTheSystemsCache) {
  rocksdb::FileOptions options;
  options.use_direct_writes = true;
  std::unique_ptr<FSWritableFile> file;
  EXPECT_TRUE(files_.NewWritableFile(path_, options, &file, nullptr).IsNotSupported());
  EXPECT_EQ(file, nullptr);
}

TEST_P(RoomFileTest, SaysWhichFileCannotBeOpened) {
  std::unique_ptr<FSWritableFile> file;
  const rocksdb::IOStatus status =
      files_.NewWritableFile(disk_.path() / "missing" / "file", {}, &file, nullptr);
  EXPECT_TRUE(status.IsPathNotFound());
  EXPECT_THAT(status.ToString(), ::testing::HasSubstr("missing/file"));
}

std::string name_of(const ::testing::TestParamInfo<DiskKind>& kind) {
  constexpr const char* kNames[] = {"Tmpfs", "Ext4", "Xfs", "Ext3"};
  return kNames[static_cast<size_t>(kind.param)];
}

INSTANTIATE_TEST_SUITE_P(OnEachFileSystem, RoomFileTest,
                         ::testing::Values(DiskKind::kTmpfs, DiskKind::kExt4, DiskKind::kXfs,
                                           DiskKind::kExt3),
                         name_of);

}  // namespace
}  // namespace store
