// RocksDB's view of its table files, with the one check that RocksDB itself lacks.
//
// RocksDB compares the checksum of every block before it looks into it, but for the block of a
// table's properties: there it looks first. If the highest bit of that block is set, which says
// "there is a hash index" and is never true of properties, Debian's RocksDB, which is built with
// assertions on, ends the process. So that bit is looked at when a table is opened, and a table
// that has it is refused as what it is: damaged. Everything else is left to RocksDB's checksums.
#pragma once

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <memory>
#include <string>

namespace store {

class TableFileSystem : public rocksdb::FileSystemWrapper {
 public:
  TableFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "PostriderTableFileSystem"; }

  rocksdb::IOStatus NewRandomAccessFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* debug) override;
};

// The system's environment with such a view; as long as the process.
rocksdb::Env* table_env();

}  // namespace store
