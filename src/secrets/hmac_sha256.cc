// OpenSSL 3 calls these functions deprecated, but only they leave it to us where the state lives.
#define OPENSSL_SUPPRESS_DEPRECATED

#include "secrets/hmac_sha256.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>
#include <new>

#include "base/check.h"

namespace secrets {

namespace {

// Trivial types in bytes of our own: made with new, wiped with the bytes.
struct States {
  SHA256_CTX inner;
  SHA256_CTX outer;
};
static_assert(alignof(States) <= 32);

// A state that is wiped when it goes: with it one could sign in the key's name.
struct Working {
  SHA256_CTX state;

  explicit Working(const SHA256_CTX& start) : state(start) {}
  ~Working() { OPENSSL_cleanse(&state, sizeof(state)); }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;
};

void feed(SHA256_CTX& state, const void* bytes, size_t size) {
  CHECK_EQ(SHA256_Update(&state, bytes, size), 1);
}

void start_with(SHA256_CTX& state, const SecretBytes& block, uint8_t pad) {
  SecretBytes padded(block.size());
  std::ranges::transform(block.bytes(), padded.writable().begin(),
                         [pad](uint8_t byte) { return static_cast<uint8_t>(byte ^ pad); });
  CHECK_EQ(SHA256_Init(&state), 1);
  feed(state, padded.bytes().data(), padded.size());
}

SecretBytes key_block(std::span<const uint8_t> key) {
  SecretBytes block(SHA256_CBLOCK);
  if (key.size() <= SHA256_CBLOCK) {
    std::ranges::copy(key, block.writable().begin());
  } else {
    SHA256(key.data(), key.size(), block.writable().data());
  }
  return block;
}

}  // namespace

HmacSha256::HmacSha256(std::span<const uint8_t> key) : states_(sizeof(States)) {
  auto* states = new (states_.writable().data()) States;
  const SecretBytes block = key_block(key);
  start_with(states->inner, block, 0x36);
  start_with(states->outer, block, 0x5c);
}

HmacSha256::Digest HmacSha256::digest(std::initializer_list<std::string_view> parts) const {
  const auto* states = reinterpret_cast<const States*>(states_.bytes().data());
  Digest digest{};
  Working inner(states->inner);
  for (const std::string_view part : parts) {
    feed(inner.state, part.data(), part.size());
  }
  CHECK_EQ(SHA256_Final(digest.data(), &inner.state), 1);
  Working outer(states->outer);
  feed(outer.state, digest.data(), digest.size());
  CHECK_EQ(SHA256_Final(digest.data(), &outer.state), 1);
  return digest;
}

bool is_same_digest(const HmacSha256::Digest& expected, std::span<const uint8_t> received) {
  return received.size() == expected.size() &&
         CRYPTO_memcmp(expected.data(), received.data(), expected.size()) == 0;
}

}  // namespace secrets
