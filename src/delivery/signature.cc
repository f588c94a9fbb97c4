#include "delivery/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "secrets/base64.h"

namespace delivery {

namespace {

constexpr std::string_view kHmacPrefix = "whsec_";
constexpr std::string_view kPrivatePrefix = "whsk_";
constexpr std::string_view kPublicPrefix = "whpk_";
constexpr std::string_view kHmacVersion = "v1";
constexpr std::string_view kEd25519Version = "v1a";

constexpr size_t kHmacBytesMin = 24;
constexpr size_t kHmacBytesMax = 64;
constexpr size_t kHmacBytesNew = 32;
constexpr size_t kIdMax = 256;
constexpr size_t kSignatureHeaderMax = 2048;  // bounds the work that a stranger can ask for

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};

// The messages never repeat the text: it is a secret.
std::unexpected<base::Error> invalid(std::string detail) {
  return base::fail(base::ErrorCode::kInvalid, std::move(detail));
}

base::Result<secrets::SecretBytes> decode(std::string_view text, std::string_view prefix) {
  auto bytes = secrets::decode_base64_secret(text.substr(prefix.size()));
  if (!bytes) {
    return invalid(fmt::format(
        "what follows {} must be standard base64 with its padding: A-Z a-z 0-9 + / and '=' at the "
        "end",
        prefix));
  }
  return std::move(*bytes);
}

base::Result<secrets::HmacSha256> parse_hmac(std::string_view text) {
  TRY(const secrets::SecretBytes bytes, decode(text, kHmacPrefix));
  if (bytes.size() < kHmacBytesMin || bytes.size() > kHmacBytesMax) {
    return invalid(fmt::format("a {} secret must have {} to {} bytes, but this one has {}",
                               kHmacPrefix, kHmacBytesMin, kHmacBytesMax, bytes.size()));
  }
  return secrets::HmacSha256(bytes.bytes());
}

// 32 bytes are the seed. Some tools write 64, the seed and the public key; then the two must agree,
// or receivers would be told a key that verifies nothing.
base::Result<secrets::Ed25519PrivateKey> parse_private(std::string_view text) {
  TRY(const secrets::SecretBytes bytes, decode(text, kPrivatePrefix));
  constexpr size_t kSeed = secrets::kEd25519KeyBytes;
  if (bytes.size() != kSeed && bytes.size() != 2 * kSeed) {
    return invalid(fmt::format("a {} secret must have {} bytes, but this one has {}",
                               kPrivatePrefix, kSeed, bytes.size()));
  }
  secrets::Ed25519PrivateKey key(bytes.bytes().first<kSeed>());
  if (bytes.size() > kSeed && !std::ranges::equal(bytes.bytes().subspan(kSeed), key.public_key())) {
    return invalid(
        fmt::format("the two halves of this {} secret do not belong together; its last "
                    "{} bytes must be the public key",
                    kPrivatePrefix, kSeed));
  }
  return key;
}

base::Result<secrets::Ed25519PublicKey> parse_public(std::string_view text) {
  TRY(const secrets::SecretBytes bytes, decode(text, kPublicPrefix));
  if (bytes.size() != secrets::kEd25519KeyBytes) {
    return invalid(fmt::format("a {} key must have {} bytes, but this one has {}", kPublicPrefix,
                               secrets::kEd25519KeyBytes, bytes.size()));
  }
  return secrets::Ed25519PublicKey(bytes.bytes().first<secrets::kEd25519KeyBytes>());
}

base::Result<void> check_count(size_t count) {
  if (count < 1 || count > Signer::kSecretsMax) {
    return invalid(
        fmt::format("{} signing secrets given; there must be 1 to {}", count, Signer::kSecretsMax));
  }
  return {};
}

void append_entry(std::string& header, std::string_view version,
                  std::span<const uint8_t> signature) {
  if (!header.empty()) {
    header += ' ';
  }
  header += version;
  header += ',';
  secrets::append_base64(header, signature);
}

// Digits only: a sign, a blank or a fraction would be a second spelling of the same time.
std::optional<int64_t> parse_timestamp(std::string_view text) {
  constexpr size_t kDigitsMax = 12;
  const bool is_plain = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_plain || text.empty() || text.size() > kDigitsMax) {
    return std::nullopt;
  }
  int64_t seconds = 0;
  const char* begin = text.data();
  std::from_chars(begin, begin + text.size(), seconds);
  return seconds;
}

// An entry of the header. The signature is empty if it cannot be one of any version we know.
struct Entry {
  std::string_view version;
  std::array<uint8_t, secrets::kEd25519SignatureBytes> bytes{};
  size_t size = 0;

  std::span<const uint8_t> signature() const { return std::span(bytes).first(size); }
};

Entry parse_entry(std::string_view text) {
  Entry entry;
  const size_t comma = text.find(',');
  if (comma == std::string_view::npos) {
    return entry;
  }
  entry.version = text.substr(0, comma);
  entry.size = secrets::decode_base64(text.substr(comma + 1), entry.bytes).value_or(0);
  return entry;
}

std::vector<Entry> parse_entries(std::string_view header) {
  std::vector<Entry> entries;
  while (!header.empty()) {
    const std::string_view text = header.substr(0, header.find(' '));
    entries.push_back(parse_entry(text));
    header.remove_prefix(std::min(header.size(), text.size() + 1));
  }
  return entries;
}

// A received message: what must be signed, and the signatures that came with it.
struct Received {
  std::string_view head;  // id and timestamp, each with its '.'
  std::string_view body;
  std::vector<Entry> entries;
};

// Entries of other versions and of other lengths match nothing, whatever they hold.
bool has_signed(const secrets::HmacSha256& key, const Received& received) {
  const auto expected = key.digest({received.head, received.body});
  return std::ranges::any_of(received.entries, [&](const Entry& entry) {
    return entry.version == kHmacVersion && secrets::is_same_digest(expected, entry.signature());
  });
}

bool has_signed(const secrets::Ed25519PublicKey& key, const Received& received) {
  std::string message(received.head);
  message += received.body;
  return std::ranges::any_of(received.entries, [&](const Entry& entry) {
    return entry.version == kEd25519Version && key.verify(message, entry.signature());
  });
}

}  // namespace

secrets::SecretBytes generate_signing_secret(SignatureScheme scheme) {
  const bool is_hmac = scheme == SignatureScheme::kHmac;
  const std::string_view prefix = is_hmac ? kHmacPrefix : kPrivatePrefix;
  const auto bytes =
      secrets::SecretBytes::random(is_hmac ? kHmacBytesNew : secrets::kEd25519KeyBytes);
  secrets::SecretBytes text(prefix.size() + secrets::base64_size(bytes.size()));
  auto* out = reinterpret_cast<char*>(text.writable().data());
  secrets::encode_base64(bytes.bytes(), std::ranges::copy(prefix, out).out);
  return text;
}

base::Result<std::string> public_key_of(std::string_view secret) {
  if (!secret.starts_with(kPrivatePrefix)) {
    return invalid(fmt::format("only a {} secret has a public key", kPrivatePrefix));
  }
  TRY(const secrets::Ed25519PrivateKey key, parse_private(secret));
  std::string text(kPublicPrefix);
  secrets::append_base64(text, key.public_key());
  return text;
}

bool is_webhook_id(std::string_view id) {
  const bool is_plain =
      std::ranges::all_of(id, [](char c) { return c > ' ' && c <= '~' && c != '.'; });
  return is_plain && !id.empty() && id.size() <= kIdMax;
}

base::Result<Signer> Signer::make(std::span<const std::string_view> secrets) {
  if (auto checked = check_count(secrets.size()); !checked.has_value()) {
    return std::unexpected(std::move(checked.error()));
  }
  std::vector<Key> keys;
  for (const std::string_view text : secrets) {
    if (text.starts_with(kHmacPrefix)) {
      TRY(auto key, parse_hmac(text));
      keys.emplace_back(std::move(key));
    } else if (text.starts_with(kPrivatePrefix)) {
      TRY(auto key, parse_private(text));
      keys.emplace_back(std::move(key));
    } else {
      return invalid(
          fmt::format("a signing secret must begin with {} or {}", kHmacPrefix, kPrivatePrefix));
    }
  }
  return Signer(std::move(keys));
}

base::Result<std::string> Signer::sign(const WebhookMessage& message) const {
  CHECK_GE(message.unix_seconds, 0);
  if (!is_webhook_id(message.id)) {
    return invalid("the id of a webhook must be printable ASCII without space and '.'");
  }
  std::string head;
  head.append(message.id).append(".").append(std::to_string(message.unix_seconds)).append(".");
  std::string header;
  header.reserve(keys_.size() * 96);
  for (const Key& key : keys_) {
    std::visit(Overloaded{[&](const secrets::HmacSha256& hmac) {
                            append_entry(header, kHmacVersion, hmac.digest({head, message.body}));
                          },
                          [&](const secrets::Ed25519PrivateKey& ed25519) {
                            std::string whole = head;
                            whole += message.body;
                            append_entry(header, kEd25519Version, ed25519.sign(whole));
                          }},
               key);
  }
  return header;
}

std::string_view to_words(SignatureRefusal refusal) {
  switch (refusal) {
    case SignatureRefusal::kHeaderMissing:
      return "webhook-id, webhook-timestamp or webhook-signature is missing";
    case SignatureRefusal::kHeaderMalformed:
      return "webhook-id, webhook-timestamp or webhook-signature is malformed";
    case SignatureRefusal::kTooOld:
      return "the timestamp is more than five minutes old";
    case SignatureRefusal::kTooNew:
      return "the timestamp is more than five minutes ahead";
    case SignatureRefusal::kNoMatch:
      return "no signature matches: another secret, or something was changed on the way";
  }
  return "";
}

base::Result<Verifier> Verifier::make(std::span<const std::string_view> keys) {
  if (auto checked = check_count(keys.size()); !checked.has_value()) {
    return std::unexpected(std::move(checked.error()));
  }
  std::vector<Key> parsed;
  for (const std::string_view text : keys) {
    if (text.starts_with(kHmacPrefix)) {
      TRY(auto key, parse_hmac(text));
      parsed.emplace_back(std::move(key));
    } else if (text.starts_with(kPrivatePrefix)) {
      TRY(const auto key, parse_private(text));
      parsed.emplace_back(secrets::Ed25519PublicKey(key.public_key()));
    } else if (text.starts_with(kPublicPrefix)) {
      TRY(auto key, parse_public(text));
      parsed.emplace_back(std::move(key));
    } else {
      return invalid(fmt::format("a key to verify with must begin with {}, {} or {}", kHmacPrefix,
                                 kPublicPrefix, kPrivatePrefix));
    }
  }
  return Verifier(std::move(parsed));
}

std::optional<SignatureRefusal> Verifier::verify(const WebhookHeaders& headers,
                                                 std::string_view body,
                                                 int64_t now_unix_seconds) const {
  if (headers.id.empty() || headers.timestamp.empty() || headers.signature.empty()) {
    return SignatureRefusal::kHeaderMissing;
  }
  const auto timestamp = parse_timestamp(headers.timestamp);
  if (!timestamp || !is_webhook_id(headers.id) || headers.signature.size() > kSignatureHeaderMax) {
    return SignatureRefusal::kHeaderMalformed;
  }
  if (now_unix_seconds - *timestamp > kToleranceSeconds) {
    return SignatureRefusal::kTooOld;
  }
  if (*timestamp - now_unix_seconds > kToleranceSeconds) {
    return SignatureRefusal::kTooNew;
  }
  const std::string head = fmt::format("{}.{}.", headers.id, headers.timestamp);
  const Received received{.head = head, .body = body, .entries = parse_entries(headers.signature)};
  const bool is_genuine = std::ranges::any_of(keys_, [&](const Key& key) {
    return std::visit([&](const auto& known) { return has_signed(known, received); }, key);
  });
  return is_genuine ? std::nullopt : std::optional(SignatureRefusal::kNoMatch);
}

}  // namespace delivery
