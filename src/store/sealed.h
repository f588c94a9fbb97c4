// The frame around every record: a version, the fields, and a checksum over key and value, so that
// a record that was damaged, or that turned up under another key, is never taken for a true one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace store {

// 64 bits that change with any bit of the bytes. Part of the storage format.
uint64_t checksum(std::string_view bytes, uint64_t seed = 0);

// Begins a record of this version, in the memory of `room`; the fields follow.
std::string begin_record(uint8_t version, std::string room = {});
// Ends it.
void seal(std::string_view key, std::string& record);

struct OpenRecord {
  uint8_t version = 0;
  std::string_view fields;
};

// kCorrupt if the record is not what was written, or is newer than `newest_version`.
base::Result<OpenRecord> open_record(std::string_view key, std::string_view record,
                                     uint8_t newest_version);

}  // namespace store
