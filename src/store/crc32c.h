// The checksum of RocksDB's log, by the processor's own instruction.
//
// Debian builds RocksDB for the oldest processors, so that it computes CRC-32C from tables: an
// eighth of all CPU that a message costs. So this file defines the library's own function, with the
// same result. Of the shared library the dynamic linker takes the program's definition, because it
// comes first; in the archive that a release is linked with, the library's is made to give way
// (CMakeLists.txt). If a later RocksDB binds the name to itself, everything works, only slower.
// See ADR 10.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rocksdb::crc32c {

// The library's name for it.
// NOLINTNEXTLINE(readability-identifier-naming)
uint32_t Extend(uint32_t before, const char* bytes, size_t size);

}  // namespace rocksdb::crc32c

namespace store {

// For processors without the instruction.
uint32_t extend_by_table(uint32_t before, const char* bytes, size_t size);

// Whether the known answer comes out. Asked before a database is opened: a wrong checksum would
// spoil its log.
bool is_crc32c_sound();

}  // namespace store
