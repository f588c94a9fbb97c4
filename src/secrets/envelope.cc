#include "secrets/envelope.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "secrets/aead.h"

// Layouts, version 1. Everything before the box is authenticated with it.
//
//   sealed secret:  'S' version data-key-id(8)                                       box
//   wrapped key:    'K' version data-key-id(8) length master-key-id(length)          box
//
// The context of a box is its head, the tenant (8 bytes, high byte first), and for a secret also
// the purpose (1 byte) and the record (the rest, so it needs no length).

namespace secrets {

namespace {

constexpr char kSealed = 'S';
constexpr char kWrapped = 'K';
constexpr char kVersion = 1;
constexpr size_t kPreludeBytes = 2;
constexpr size_t kDataKeyIdBytes = 8;

std::string context_of(std::string_view head, base::TenantId tenant) {
  std::string context(head);
  for (int shift = 56; shift >= 0; shift -= 8) {
    context += static_cast<char>(tenant.value >> static_cast<unsigned>(shift));
  }
  return context;
}

std::string context_of(std::string_view head, base::TenantId tenant, const Place& place) {
  std::string context = context_of(head, tenant);
  context += static_cast<char>(place.purpose);
  context += place.record;
  return context;
}

std::unexpected<base::Error> corrupt(std::string detail) {
  return base::fail(base::ErrorCode::kCorrupt, std::move(detail));
}

// Checks kind and version; the error names what the bytes should have been.
base::Result<void> check_prelude(std::string_view bytes, char kind, std::string_view what) {
  if (bytes.size() < kPreludeBytes || bytes[0] != kind) {
    return corrupt(fmt::format("these bytes are not a {}", what));
  }
  if (bytes[1] != kVersion) {
    return corrupt(fmt::format("this {} has format {}, which this version of Postrider cannot read",
                               what, static_cast<uint8_t>(bytes[1])));
  }
  return {};
}

std::string prelude(char kind, std::string_view data_key_id) {
  std::string head{kind, kVersion};
  head += data_key_id;
  return head;
}

struct WrappedParts {
  std::string_view head;
  std::string_view data_key_id;
  std::string_view master_key_id;
  std::string_view box;
};

base::Result<WrappedParts> parse_wrapped(std::string_view bytes) {
  if (auto checked = check_prelude(bytes, kWrapped, "wrapped data key"); !checked.has_value()) {
    return std::unexpected(std::move(checked.error()));
  }
  constexpr size_t kLengthAt = kPreludeBytes + kDataKeyIdBytes;
  if (bytes.size() <= kLengthAt) {
    return corrupt("this wrapped data key is cut short");
  }
  const size_t length = static_cast<uint8_t>(bytes[kLengthAt]);
  const size_t head_bytes = kLengthAt + 1 + length;
  if (bytes.size() != head_bytes + kAeadNonceBytes + kAeadKeyBytes + kAeadTagBytes) {
    return corrupt("this wrapped data key has the wrong length");
  }
  return WrappedParts{.head = bytes.substr(0, head_bytes),
                      .data_key_id = bytes.substr(kPreludeBytes, kDataKeyIdBytes),
                      .master_key_id = bytes.substr(kLengthAt + 1, length),
                      .box = bytes.substr(head_bytes)};
}

// An id out of damaged bytes may hold anything; only plain ones are repeated.
std::string shown(std::string_view id) {
  const bool is_plain = std::ranges::all_of(id, [](char c) { return c > ' ' && c <= '~'; });
  return is_plain ? fmt::format("'{}'", id) : std::string("with an unreadable name");
}

}  // namespace

std::string TenantKey::seal(const Place& place, const SecretBytes& secret) const {
  std::string sealed = prelude(kSealed, {id_.data(), id_.size()});
  const std::string context = context_of(sealed, tenant_, place);
  append_box(sealed, bytes_, context, secret.bytes());
  return sealed;
}

base::Result<SecretBytes> TenantKey::open(const Place& place, std::string_view sealed) const {
  if (auto checked = check_prelude(sealed, kSealed, "sealed secret"); !checked.has_value()) {
    return std::unexpected(std::move(checked.error()));
  }
  const std::string head = prelude(kSealed, {id_.data(), id_.size()});
  if (!sealed.starts_with(head)) {
    return corrupt("this secret was sealed under another data key, perhaps of another tenant");
  }
  auto secret = open_box(bytes_, context_of(head, tenant_, place), sealed.substr(head.size()));
  if (!secret) {
    return corrupt("this sealed secret is damaged, or belongs to another record");
  }
  return std::move(*secret);
}

std::string Envelope::make_tenant_key(base::TenantId tenant) const {
  const SecretBytes chance = SecretBytes::random(kDataKeyIdBytes);
  TenantKey::Id id{};
  std::ranges::copy(chance.text(), id.begin());
  return wrap(TenantKey(tenant, id, SecretBytes::random(kAeadKeyBytes)));
}

std::string Envelope::wrap(const TenantKey& key) const {
  const MasterKey& master = keys_.newest();
  std::string wrapped = prelude(kWrapped, {key.id_.data(), key.id_.size()});
  wrapped += static_cast<char>(master.id.size());
  wrapped += master.id;
  const std::string context = context_of(wrapped, key.tenant_);
  append_box(wrapped, master.bytes, context, key.bytes_.bytes());
  return wrapped;
}

base::Result<TenantKey> Envelope::unwrap(base::TenantId tenant, std::string_view wrapped) const {
  TRY(const WrappedParts parts, parse_wrapped(wrapped));
  const MasterKey* master = keys_.find(parts.master_key_id);
  if (master == nullptr) {
    return base::fail(
        base::ErrorCode::kUnavailable,
        fmt::format("the data key of tenant {} is wrapped by a master key {}, which is "
                    "not configured; put its line back into the key file",
                    tenant.value, shown(parts.master_key_id)));
  }
  auto bytes = open_box(master->bytes, context_of(parts.head, tenant), parts.box);
  if (!bytes) {
    return corrupt(
        fmt::format("the data key of tenant {} is damaged or belongs to another tenant, "
                    "or the master key {} is not the one that wrapped it",
                    tenant.value, shown(parts.master_key_id)));
  }
  TenantKey::Id id{};
  std::ranges::copy(parts.data_key_id, id.begin());
  return TenantKey(tenant, id, std::move(*bytes));
}

base::Result<bool> Envelope::is_current(std::string_view wrapped) const {
  TRY(const WrappedParts parts, parse_wrapped(wrapped));
  return parts.master_key_id == keys_.newest().id;
}

base::Result<std::string> Envelope::rewrap(base::TenantId tenant, std::string_view wrapped) const {
  TRY(const TenantKey key, unwrap(tenant, wrapped));
  return wrap(key);
}

}  // namespace secrets
