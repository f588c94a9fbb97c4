#include "registry/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "registry/names.h"
#include "registry/record_json.h"
#include "secrets/base64.h"
#include "secrets/hmac_sha256.h"
#include "text/id_text.h"

namespace registry {
namespace {

constexpr std::string_view kPrefix = "prk_";
constexpr size_t kIdDigits = 16;
constexpr size_t kSecretBytes = 32;
constexpr size_t kSecretCharacters = 43;
constexpr size_t kTextCharacters = kPrefix.size() + kIdDigits + 1 + kSecretCharacters;

struct KeyText {
  KeyId id;
  std::string_view secret;
};

// Nothing if it does not look like a key. Any characters may be the secret part: a wrong one is
// found by its digest.
std::optional<KeyText> parse(std::string_view text) {
  if (text.size() != kTextCharacters || !text.starts_with(kPrefix) ||
      text[kPrefix.size() + kIdDigits] != '_') {
    return std::nullopt;
  }
  const auto id = text::parse_key_id(fmt::format("key_{}", text.substr(kPrefix.size(), kIdDigits)));
  if (!id) {
    return std::nullopt;
  }
  return KeyText{.id = {*id}, .secret = text.substr(kTextCharacters - kSecretCharacters)};
}

DocumentPlace place_of(base::TenantId tenant, KeyId id) {
  return {.table = model::Table::kApiKeys, .tenant = tenant, .key = text::key_id_text(id.value)};
}

std::string encode(const ApiKey& key, const secrets::Sha256& digest) {
  std::string value;
  text::JsonWriter writer(value);
  writer.begin_object().field("v", kRecordVersion).field("name", key.name);
  writer.key("scopes").begin_array();
  for (const std::string_view word : key.scopes.words()) {
    writer.value(word);
  }
  writer.end_array();
  write_instant(writer, "created_at", key.created_at);
  write_instant(writer, "expires_at", key.expires_at);
  write_bytes(writer, "digest", {reinterpret_cast<const char*>(digest.data()), digest.size()});
  writer.end_object();
  return value;
}

struct StoredKey {
  ApiKey key;
  secrets::Sha256 digest{};
};

base::Result<StoredKey> decode(match::JsonParser& parser, const model::Document& document) {
  TRY(RecordReader record, open_record(parser, document));
  const std::optional<uint64_t> id = text::parse_key_id(document.key);
  const std::string digest = record.bytes("digest");
  StoredKey stored{.key = {.id = {id.value_or(0)},
                           .tenant = document.tenant,
                           .name = record.text("name"),
                           .scopes = {},
                           .created_at = record.instant("created_at"),
                           .expires_at = record.instant("expires_at")}};
  for (const match::JsonValue word : record.find("scopes").elements()) {
    const auto scope = word.kind() == match::JsonKind::kString
                           ? parse_scope(word.as_string())
                           : base::Result<Scope>(base::fail(base::ErrorCode::kCorrupt, ""));
    if (!scope.has_value()) {
      return corrupt_record(document);
    }
    stored.key.scopes.add(*scope);
  }
  if (!id || digest.size() != stored.digest.size() || !record.is_sound()) {
    return corrupt_record(document);
  }
  std::ranges::copy(digest, stored.digest.begin());
  return stored;
}

}  // namespace

Keys::Keys(Documents& documents, IdMaker& ids, const Tenants& tenants,
           const Throttle::Options& throttle)
    : documents_(documents), ids_(ids), tenants_(tenants), throttle_(throttle) {}

void Keys::load(Done<void> done) {
  documents_.each(
      model::Table::kApiKeys, [this](const model::Document& it) { return loaded(it); },
      std::move(done));
}

base::Result<void> Keys::loaded(const model::Document& document) {
  if (!tenants_.contains(document.tenant)) {
    return {};  // it is being erased
  }
  TRY(const StoredKey stored, decode(parser_, document));
  keys_[stored.key.id.value] = {.tenant = stored.key.tenant,
                                .digest = stored.digest,
                                .scopes = stored.key.scopes,
                                .expires_at = stored.key.expires_at,
                                .revision = document.revision};
  return {};
}

Authentication Keys::authenticate(std::string_view presented, const net::Address& peer) {
  const base::Instant now = documents_.now();
  Authentication result;
  result.retry_after = throttle_.wait_of(peer, now);
  if (result.retry_after) {
    return result;
  }
  result.caller = check(presented);
  if (!result.caller) {
    throttle_.failed(peer, now);
  }
  return result;
}

std::optional<Caller> Keys::check(std::string_view presented) const {
  static const Entry kNobody;
  static const std::string kNoSecret(kSecretCharacters, '-');
  const std::optional<KeyText> text = parse(presented);
  const auto found = keys_.find(text ? text->id.value : 0);
  const Entry& entry = found == keys_.end() ? kNobody : found->second;
  // Hashed and compared in any case, so that time does not tell which ids there are.
  const bool is_genuine = secrets::is_same_digest(
      entry.digest, secrets::sha256({text ? text->secret : std::string_view(kNoSecret)}));
  if (!is_genuine || found == keys_.end() || is_expired(entry)) {
    return std::nullopt;
  }
  return Caller{.tenant = entry.tenant, .scopes = entry.scopes, .key = text->id};
}

bool Keys::is_expired(const Entry& entry) const {
  return entry.expires_at.is_set() && documents_.now() >= entry.expires_at;
}

bool Keys::lets_in(KeyId id) const {
  const auto found = keys_.find(id.value);
  return found != keys_.end() && !is_expired(found->second);
}

secrets::SecretBytes Keys::make_text() {
  const secrets::SecretBytes secret = secrets::SecretBytes::random(kSecretBytes);
  secrets::SecretBytes encoded(secrets::base64_size(kSecretBytes));
  auto* characters = reinterpret_cast<char*>(encoded.writable().data());
  secrets::encode_base64(secret.bytes(), characters);
  const std::string head = fmt::format("{}{:016x}_", kPrefix, ids_.next());
  secrets::SecretBytes text(kTextCharacters);
  auto at = std::ranges::copy(head, text.writable().begin()).out;
  for (size_t i = 0; i < kSecretCharacters; ++i) {
    const char c = characters[i];
    *at++ = static_cast<uint8_t>(c == '+' ? '-' : c == '/' ? '_' : c);
  }
  return text;
}

base::Result<Keys::Draft> Keys::draft(base::TenantId tenant, NewApiKey wanted,
                                      std::string_view text) const {
  TRY([[maybe_unused]] const bool is_name, check_name("name", wanted.name));
  if (wanted.scopes.is_empty()) {
    return base::fail(base::ErrorCode::kInvalid,
                      "scopes: name at least one of publish, read, manage and admin");
  }
  if (wanted.expires_at.is_set() && wanted.expires_at <= documents_.now()) {
    return base::fail(base::ErrorCode::kInvalid, "expires_at: choose a time that is yet to come");
  }
  const std::optional<KeyText> parsed = parse(text);
  if (!parsed) {
    return base::fail(base::ErrorCode::kInvalid, "this is no API key of Postrider");
  }
  Draft draft;
  draft.key = {.id = parsed->id,
               .tenant = tenant,
               .name = std::move(wanted.name),
               .scopes = wanted.scopes,
               .created_at = documents_.now(),
               .expires_at = wanted.expires_at};
  draft.digest = secrets::sha256({parsed->secret});
  DocumentPlace place = place_of(tenant, draft.key.id);
  draft.change = {.table = place.table,
                  .tenant = tenant,
                  .key = std::move(place.key),
                  .value = encode(draft.key, draft.digest),
                  .expected_revision = 0};
  return draft;
}

void Keys::created(const Draft& draft) {
  keys_[draft.key.id.value] = {.tenant = draft.key.tenant,
                               .digest = draft.digest,
                               .scopes = draft.key.scopes,
                               .expires_at = draft.key.expires_at,
                               .revision = 1};
}

void Keys::create(base::TenantId tenant, NewApiKey wanted, Done<CreatedApiKey> done) {
  const auto text = std::make_shared<secrets::SecretBytes>(make_text());
  auto made = draft(tenant, std::move(wanted), text->text());
  if (!made.has_value()) {
    done(std::unexpected(std::move(made.error())));
    return;
  }
  documents_.commit({made->change},
                    [this, draft = *made, text, done = std::move(done)](base::Result<void> result) {
                      if (!result.has_value()) {
                        done(std::unexpected(std::move(result.error())));
                        return;
                      }
                      if (!tenants_.contains(draft.key.tenant)) {
                        done(base::fail(base::ErrorCode::kNotFound, "the tenant was deleted"));
                        return;
                      }
                      created(draft);
                      done(CreatedApiKey{.key = draft.key, .text = std::move(*text)});
                    });
}

void Keys::list(base::TenantId tenant, KeyId after, uint32_t limit, Done<ApiKeyPage> done) {
  documents_.page({.table = model::Table::kApiKeys,
                   .tenant = tenant,
                   .after = text::key_id_text(after.value),
                   .limit = limit},
                  [this, done = std::move(done)](const model::DocumentPage& found) {
                    ApiKeyPage page;
                    page.complete = found.complete;
                    for (const model::Document& document : found.documents) {
                      auto stored = decode(parser_, document);
                      if (!stored.has_value()) {
                        done(std::unexpected(std::move(stored.error())));
                        return;
                      }
                      page.keys.push_back(std::move(stored->key));
                    }
                    done(std::move(page));
                  });
}

void Keys::revoke(base::TenantId tenant, KeyId id, Done<void> done) {
  const auto found = keys_.find(id.value);
  if (found == keys_.end() || found->second.tenant != tenant) {
    done(base::fail(base::ErrorCode::kNotFound, "there is no key " + text::key_id_text(id.value)));
    return;
  }
  DocumentPlace place = place_of(tenant, id);
  documents_.commit({{.table = place.table,
                      .tenant = tenant,
                      .key = std::move(place.key),
                      .value = std::nullopt,
                      .expected_revision = found->second.revision}},
                    [this, id, done = std::move(done)](base::Result<void> result) {
                      if (result.has_value()) {
                        keys_.erase(id.value);
                      }
                      done(std::move(result));
                    });
}

std::optional<base::TenantId> Keys::tenant_of(KeyId id) const {
  const auto found = keys_.find(id.value);
  return found == keys_.end() ? std::nullopt : std::optional(found->second.tenant);
}

void Keys::forget_tenant(base::TenantId tenant) {
  std::erase_if(keys_, [&](const auto& entry) { return entry.second.tenant == tenant; });
}

}  // namespace registry
