// RocksDB's view of the disk: like the usual one, but an append that finds no room waits for it.
//
// Why: Debian's RocksDB is built with assertions on and aborts the process when an append fails.
// The watermark of free_space.h keeps us from filling the disk ourselves; this is for the disk that
// somebody else fills. Each append first reserves its place (fallocate beyond the end of the file,
// so contents and size stay as they were), and what cannot be reserved or written waits in a Room
// and goes on where it stopped. So also do creating, renaming and linking. Reserved places are
// given back when the file is closed.
//
// Any other failure passes through, as does every wait once the room was stopped: RocksDB takes
// those without an abort, refuses further writes, and can be closed.
//
// RocksDB's own diary (LOG) never waits and never fails: what finds no room is left out.
//
// Refuses direct and memory-mapped writes, which would go around it.
#pragma once

#include <rocksdb/file_system.h>

#include <functional>
#include <memory>
#include <string>

#include "store/room.h"
#include "store/room_file.h"
#include "store/table_file_system.h"

namespace store {

class RoomFileSystem final : public TableFileSystem {
 public:
  explicit RoomFileSystem(RoomOptions options = {});

  // Ends every wait: what waits fails. For shutting down.
  void stop() { disk_->room.stop(); }
  const Room& room() const { return disk_->room; }
  SyncFigures syncs() const { return disk_->syncs.figures(); }

  const char* Name() const override { return "PostriderRoomFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* result,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* result,
                                      rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewLogger(const std::string& path, const rocksdb::IOOptions& options,
                              std::shared_ptr<rocksdb::Logger>* result,
                              rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus CreateDir(const std::string& path, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus CreateDirIfMissing(const std::string& path, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;

 private:
  rocksdb::IOStatus open(const std::string& path, int flags, const rocksdb::FileOptions& options,
                         std::unique_ptr<rocksdb::FSWritableFile>* result);
  // Repeats what fails for want of room.
  rocksdb::IOStatus with_room(const std::function<rocksdb::IOStatus()>& operation);

  std::shared_ptr<RoomDisk> disk_;
};

}  // namespace store
