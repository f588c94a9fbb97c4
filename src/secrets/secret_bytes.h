// SecretBytes: the only place where the bytes of a secret may stay.
//
// They live in pages outside every core dump and are wiped when their owner goes. There is one
// owner: moving empties the source, copying must be asked for by name. Nothing here prints: no
// stream, no formatter, no conversion that one could pick up by accident. Whoever calls text() or
// bytes() looks at a secret and must not keep what he sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string_view>

namespace secrets {

class SecretBytes {
 public:
  SecretBytes() = default;
  explicit SecretBytes(size_t size);  // zeroes
  ~SecretBytes();

  SecretBytes(SecretBytes&& other) noexcept;
  SecretBytes& operator=(SecretBytes&& other) noexcept;
  SecretBytes(const SecretBytes&) = delete;
  SecretBytes& operator=(const SecretBytes&) = delete;

  // The original stays where it is, and with its owner the duty to wipe it.
  static SecretBytes copy_of(std::span<const uint8_t> bytes);
  static SecretBytes copy_of(std::string_view text);
  // From the system's generator for secrets.
  static SecretBytes random(size_t size);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const uint8_t> bytes() const { return {block_, size_}; }
  std::span<uint8_t> writable() { return {block_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(block_), size_}; }

  // Wipes and forgets what is behind the first `size` bytes.
  void shorten(size_t size);
  // Takes the same time wherever the two differ.
  bool has_same_bytes(const SecretBytes& other) const;

 private:
  void drop();

  uint8_t* block_ = nullptr;
  size_t size_ = 0;
  size_t allocated_ = 0;
};

std::ostream& operator<<(std::ostream&, const SecretBytes&) = delete;

}  // namespace secrets
