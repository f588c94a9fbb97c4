#include "store/sealed.h"

#include <algorithm>
#include <cstring>

#include "base/hash.h"
#include "store/bytes.h"

namespace store {
namespace {

constexpr size_t kChecksumSize = 8;

// The first eight bytes; fewer are filled up with zeros.
uint64_t load64(std::string_view bytes) {
  uint64_t value = 0;
  if (!bytes.empty()) {  // Of nothing there may be no address, and memcpy wants one.
    std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  }
  return value;
}

uint64_t rotate(uint64_t value) { return (value << 29U) | (value >> 35U); }

}  // namespace

// Eight bytes at a time, each multiplied into the state; odd constants keep every step invertible,
// so that two inputs that differ in one word never meet.
uint64_t checksum(std::string_view bytes, uint64_t seed) {
  constexpr uint64_t kOdd = 0x9fb21c651e98df25ULL;
  uint64_t hash = seed ^ (bytes.size() * kOdd);
  while (bytes.size() >= 8) {
    hash = rotate((hash ^ load64(bytes)) * kOdd);
    bytes.remove_prefix(8);
  }
  return base::mix((hash ^ load64(bytes)) * kOdd);
}

std::string begin_record(uint8_t version, std::string room) {
  room.clear();
  ByteWriter(room).u8(version);
  return room;
}

void seal(std::string_view key, std::string& record) {
  const uint64_t sum = checksum(record, checksum(key));
  ByteWriter(record).big64(sum);
}

base::Result<OpenRecord> open_record(std::string_view key, std::string_view record,
                                     uint8_t newest_version) {
  if (record.size() < 1 + kChecksumSize) {
    return base::fail(base::ErrorCode::kCorrupt, "a record is too short");
  }
  const std::string_view body = record.substr(0, record.size() - kChecksumSize);
  const uint64_t stored = ByteReader(record.substr(body.size())).big64();
  if (stored != checksum(body, checksum(key))) {
    return base::fail(base::ErrorCode::kCorrupt, "the checksum of a record is wrong");
  }
  const auto version = static_cast<uint8_t>(body.front());
  if (version == 0 || version > newest_version) {
    return base::fail(base::ErrorCode::kCorrupt,
                      "a record has version " + std::to_string(version) +
                          ", which this Postrider does not know; use a newer one");
  }
  return OpenRecord{.version = version, .fields = body.substr(1)};
}

}  // namespace store
