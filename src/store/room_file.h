// One file that RocksDB writes to; see room_file_system.h for what it is all about.
//
// It writes for itself instead of wrapping RocksDB's file, because an append that stops half-way
// for want of room has to go on exactly where it stopped.
#pragma once

#include <rocksdb/file_system.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "store/file_descriptor.h"
#include "store/room.h"

namespace store {

struct RoomOptions {
  std::chrono::milliseconds poll{20};  // how often one who waits tries again
  // Most that a file reserves ahead of its end. A file takes as much again as it has, up to this,
  // so that small files stay small.
  uint64_t reserve_ahead_bytes = 1ULL << 20U;
  std::function<void(bool)> on_waiting;                   // see Room
  std::function<void(std::chrono::nanoseconds)> on_sync;  // after each one, on its thread
};

struct SyncFigures {
  uint64_t count = 0;
  uint64_t failed = 0;
  std::chrono::nanoseconds total{0};
  std::chrono::nanoseconds longest{0};
};

class SyncLedger {
 public:
  void add(bool succeeded, std::chrono::nanoseconds took);
  SyncFigures figures() const;

 private:
  mutable std::mutex mutex_;
  SyncFigures figures_;
};

// What all files of one file system share; they may outlive it.
struct RoomDisk {
  explicit RoomDisk(RoomOptions chosen)
      : options(std::move(chosen)), room(options.poll, options.on_waiting) {}

  const RoomOptions options;
  Room room;
  SyncLedger syncs;
};

// No space, or the quota is used up.
bool is_want_of_room(int error);

rocksdb::IOStatus status_of(int error, const std::string& doing, const std::string& path);

class RoomFile final : public rocksdb::FSWritableFile {
 public:
  enum class WhenFull : uint8_t { kWait, kDrop };

  // `size`: where the next append goes, which is also where the descriptor stands.
  RoomFile(std::shared_ptr<RoomDisk> disk, std::string path, FileDescriptor file, uint64_t size,
           const rocksdb::FileOptions& options);
  ~RoomFile() override;

  rocksdb::IOStatus Append(const rocksdb::Slice& bytes, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override;
  using rocksdb::FSWritableFile::Append;
  rocksdb::IOStatus Truncate(uint64_t size, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus Close(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus Flush(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                         rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RangeSync(uint64_t offset, uint64_t bytes, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus InvalidateCache(size_t offset, size_t length) override;
  bool IsSyncThreadSafe() const override { return true; }
  uint64_t GetFileSize(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override;
  // RocksDB's own reservations, which are far larger and may fail: not needed here.
  void PrepareWrite(size_t offset, size_t length, const rocksdb::IOOptions& options,
                    rocksdb::IODebugContext* debug) override;

 private:
  // What is still to be written, and what stopped it.
  struct Rest {
    rocksdb::Slice bytes;
    int error = 0;
  };

  void write_on(Rest& rest);
  int reserve(uint64_t end);
  int reserve_up_to(uint64_t end);
  void give_back();
  rocksdb::IOStatus timed_sync(int (*sync)(int), const char* doing);

  const std::shared_ptr<RoomDisk> disk_;
  const std::string path_;
  FileDescriptor file_;
  uint64_t size_;
  uint64_t reserved_;        // places up to here are ours
  uint64_t asked_for_ = 0;   // places up to here may be: who refuses may have given a part
  bool can_reserve_ = true;  // this file system knows fallocate
  const WhenFull when_full_;
};

}  // namespace store
