// Writing and reading the bytes of keys and records.
//
// Numbers in keys are big-endian, so that byte order is number order; numbers in values are
// varints. Reading is total: after the last byte every read gives zero and the reader says so.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace store {

constexpr uint8_t flag_if(bool is_set, uint8_t flag) { return is_set ? flag : uint8_t{0}; }

class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  ByteWriter& u8(uint8_t value) {
    out_.push_back(static_cast<char>(value));
    return *this;
  }
  ByteWriter& big32(uint32_t value) {
    const uint32_t swapped = __builtin_bswap32(value);
    return raw(&swapped, sizeof swapped);
  }
  ByteWriter& big64(uint64_t value) {
    const uint64_t swapped = __builtin_bswap64(value);
    return raw(&swapped, sizeof swapped);
  }
  ByteWriter& varint(uint64_t value) {
    std::array<char, 10> bytes;  // NOLINT(*-member-init): only what is filled is read
    size_t size = 0;
    for (; value >= 0x80U; value >>= 7U) {
      bytes[size++] = static_cast<char>(value | 0x80U);
    }
    bytes[size++] = static_cast<char>(value);
    return raw(bytes.data(), size);
  }
  // Small for small numbers of either sign.
  ByteWriter& signed_varint(int64_t value) {
    return varint((static_cast<uint64_t>(value) << 1U) ^ static_cast<uint64_t>(value >> 63));
  }
  ByteWriter& text(std::string_view value) {
    varint(value.size());
    out_.append(value);
    return *this;
  }
  ByteWriter& rest(std::string_view value) {
    out_.append(value);
    return *this;
  }

 private:
  ByteWriter& raw(const void* bytes, size_t size) {
    out_.append(static_cast<const char*>(bytes), size);
    return *this;
  }

  std::string& out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  uint8_t u8() {
    if (rest_.empty()) {
      ok_ = false;
      return 0;
    }
    const auto value = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  uint32_t big32() {
    uint32_t value = 0;
    raw(&value, sizeof value);
    return __builtin_bswap32(value);
  }
  uint64_t big64() {
    uint64_t value = 0;
    raw(&value, sizeof value);
    return __builtin_bswap64(value);
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
      const uint8_t byte = u8();
      value |= static_cast<uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) {
        return value;
      }
    }
    ok_ = false;
    return 0;
  }
  int64_t signed_varint() {
    const uint64_t value = varint();
    return static_cast<int64_t>(value >> 1U) ^ -static_cast<int64_t>(value & 1U);
  }
  std::string_view text() {
    const uint64_t size = varint();
    if (size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return value;
  }
  std::string_view rest() const { return rest_; }

  bool ok() const { return ok_; }
  // Everything was there, and nothing is left.
  bool is_complete() const { return ok_ && rest_.empty(); }

 private:
  void raw(void* to, size_t size) {
    if (rest_.size() < size) {
      ok_ = false;
      rest_ = {};
      return;
    }
    std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace store
