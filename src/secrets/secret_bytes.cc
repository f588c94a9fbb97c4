#include "secrets/secret_bytes.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "secrets/arena.h"

namespace secrets {

SecretBytes::SecretBytes(size_t size)
    : block_(size == 0 ? nullptr : Arena::instance().allocate(size)),
      size_(size),
      allocated_(size) {}

SecretBytes::~SecretBytes() { drop(); }

SecretBytes::SecretBytes(SecretBytes&& other) noexcept
    : block_(std::exchange(other.block_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      allocated_(std::exchange(other.allocated_, 0)) {}

SecretBytes& SecretBytes::operator=(SecretBytes&& other) noexcept {
  if (this != &other) {
    drop();
    block_ = std::exchange(other.block_, nullptr);
    size_ = std::exchange(other.size_, 0);
    allocated_ = std::exchange(other.allocated_, 0);
  }
  return *this;
}

SecretBytes SecretBytes::copy_of(std::span<const uint8_t> bytes) {
  SecretBytes copy(bytes.size());
  std::ranges::copy(bytes, copy.block_);
  return copy;
}

SecretBytes SecretBytes::copy_of(std::string_view text) {
  return copy_of({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

SecretBytes SecretBytes::random(size_t size) {
  SecretBytes bytes(size);
  // Without chance there is no secret and nothing safe to do instead.
  CHECK_EQ(RAND_priv_bytes(bytes.block_, static_cast<int>(size)), 1);
  return bytes;
}

void SecretBytes::shorten(size_t size) {
  CHECK_LE(size, size_);
  if (size < size_) {
    OPENSSL_cleanse(block_ + size, size_ - size);
  }
  size_ = size;
}

bool SecretBytes::has_same_bytes(const SecretBytes& other) const {
  return size_ == other.size_ && CRYPTO_memcmp(block_, other.block_, size_) == 0;
}

void SecretBytes::drop() {
  if (block_ != nullptr) {
    Arena::instance().release(block_, allocated_);
    block_ = nullptr;
  }
}

}  // namespace secrets
