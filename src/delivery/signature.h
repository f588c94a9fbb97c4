// Signs and verifies deliveries by Standard Webhooks 1.0.0.
//
// What is signed is "<id>.<timestamp>.<body>", byte for byte as sent. The header is a list, so that
// a secret can be changed without a refused delivery: during the overlap each delivery is signed
// with the current secret and the one before, and a receiver that knows either is content.
//
//   v1   HMAC-SHA256   secret "whsec_..." (24 to 64 bytes), known to both sides
//   v1a  Ed25519       secret "whsk_...", ours alone; receivers know "whpk_..."
//
// Text of secrets and signatures is padded standard base64 only, and the list has exactly one space
// between entries and one comma within: some receivers' libraries fail on anything else. Nothing
// here reads a clock: the time of the attempt is handed in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "secrets/ed25519.h"
#include "secrets/hmac_sha256.h"
#include "secrets/secret_bytes.h"

namespace delivery {

enum class SignatureScheme : uint8_t { kHmac, kEd25519 };

// A new secret as text, to be sealed and shown to its owner once.
secrets::SecretBytes generate_signing_secret(SignatureScheme scheme);
// The "whpk_..." of a "whsk_..." secret.
base::Result<std::string> public_key_of(std::string_view secret);

// Not empty, printable ASCII without space, and without '.', which would let the id run into the
// timestamp. At most 256 characters.
bool is_webhook_id(std::string_view id);

struct WebhookMessage {
  std::string_view id;       // the same on every attempt
  int64_t unix_seconds = 0;  // the wall clock at this attempt; not negative
  std::string_view body;     // exactly the bytes sent
};

// Signs with all active secrets of a subscription. Immutable, so threads may share it.
class Signer {
 public:
  static constexpr size_t kSecretsMax = 8;

  // The current secret first. Refuses an empty list: an unsigned delivery has no Signer.
  static base::Result<Signer> make(std::span<const std::string_view> secrets);

  // The value of the header webhook-signature. Fails only if the id is no webhook id.
  base::Result<std::string> sign(const WebhookMessage& message) const;

 private:
  using Key = std::variant<secrets::HmacSha256, secrets::Ed25519PrivateKey>;

  explicit Signer(std::vector<Key> keys) : keys_(std::move(keys)) {}

  std::vector<Key> keys_;
};

// The three headers as they were received, or empty where one is missing.
struct WebhookHeaders {
  std::string_view id;
  std::string_view timestamp;
  std::string_view signature;
};

enum class SignatureRefusal : uint8_t {
  kHeaderMissing,
  kHeaderMalformed,
  kTooOld,
  kTooNew,
  kNoMatch,
};

std::string_view to_words(SignatureRefusal refusal);

// The receiver's side: accepts what any of its keys has signed.
class Verifier {
 public:
  static constexpr int64_t kToleranceSeconds = 300;

  // Secrets "whsec_..." or "whsk_...", or public keys "whpk_...".
  static base::Result<Verifier> make(std::span<const std::string_view> keys);

  // Nothing if the message is genuine and at most five minutes off `now_unix_seconds`.
  std::optional<SignatureRefusal> verify(const WebhookHeaders& headers, std::string_view body,
                                         int64_t now_unix_seconds) const;

 private:
  using Key = std::variant<secrets::HmacSha256, secrets::Ed25519PublicKey>;

  explicit Verifier(std::vector<Key> keys) : keys_(std::move(keys)) {}

  std::vector<Key> keys_;
};

}  // namespace delivery
