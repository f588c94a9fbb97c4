#include "secrets/aead.h"

#include <openssl/rand.h>

#include <limits>

#include "base/check.h"
#include "secrets/openssl.h"

namespace secrets {

namespace {

const uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

// Looked up once: a lookup by name walks the providers under a lock.
const EVP_CIPHER* cipher() {
  static const Owned<EVP_CIPHER> kFetched(EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr));
  CHECK(kFetched != nullptr);
  return kFetched.get();
}

enum class Direction { kOpen = 0, kSeal = 1 };

// Keyed, and already fed with the context.
Owned<EVP_CIPHER_CTX> start(Direction direction, const SecretBytes& key, const uint8_t* nonce,
                            std::string_view context) {
  CHECK_EQ(key.size(), kAeadKeyBytes);
  Owned<EVP_CIPHER_CTX> state(EVP_CIPHER_CTX_new());
  CHECK(state != nullptr);
  CHECK_EQ(EVP_CipherInit_ex2(state.get(), cipher(), key.bytes().data(), nonce,
                              static_cast<int>(direction), nullptr),
           1);
  int written = 0;
  CHECK_EQ(EVP_CipherUpdate(state.get(), nullptr, &written, bytes_of(context),
                            static_cast<int>(context.size())),
           1);
  return state;
}

void check_size(size_t size) { CHECK_LE(size, size_t{std::numeric_limits<int>::max()} / 2); }

}  // namespace

void append_box(std::string& out, const SecretBytes& key, std::string_view context,
                std::span<const uint8_t> secret) {
  check_size(secret.size());
  const size_t before = out.size();
  out.resize(before + kAeadNonceBytes + secret.size() + kAeadTagBytes);
  auto* nonce = reinterpret_cast<uint8_t*>(out.data()) + before;
  auto* sealed = nonce + kAeadNonceBytes;
  CHECK_EQ(RAND_bytes(nonce, kAeadNonceBytes), 1);

  const auto state = start(Direction::kSeal, key, nonce, context);
  int written = 0;
  CHECK_EQ(EVP_CipherUpdate(state.get(), sealed, &written, secret.data(),
                            static_cast<int>(secret.size())),
           1);
  CHECK_EQ(EVP_CipherFinal_ex(state.get(), sealed + written, &written), 1);
  CHECK_EQ(EVP_CIPHER_CTX_ctrl(state.get(), EVP_CTRL_AEAD_GET_TAG, kAeadTagBytes,
                               sealed + secret.size()),
           1);
}

std::optional<SecretBytes> open_box(const SecretBytes& key, std::string_view context,
                                    std::string_view box) {
  if (box.size() < kAeadNonceBytes + kAeadTagBytes) {
    return std::nullopt;
  }
  check_size(box.size());
  const std::string_view sealed =
      box.substr(kAeadNonceBytes, box.size() - kAeadNonceBytes - kAeadTagBytes);
  std::string tag(box.substr(kAeadNonceBytes + sealed.size()));

  const auto state = start(Direction::kOpen, key, bytes_of(box), context);
  SecretBytes secret(sealed.size());
  int written = 0;
  CHECK_EQ(EVP_CipherUpdate(state.get(), secret.writable().data(), &written, bytes_of(sealed),
                            static_cast<int>(sealed.size())),
           1);
  CHECK_EQ(EVP_CIPHER_CTX_ctrl(state.get(), EVP_CTRL_AEAD_SET_TAG, kAeadTagBytes, tag.data()), 1);
  if (EVP_CipherFinal_ex(state.get(), nullptr, &written) != 1) {
    return std::nullopt;
  }
  return secret;
}

}  // namespace secrets
