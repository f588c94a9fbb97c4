#include "registry/tenants.h"

#include <utility>

#include "registry/names.h"
#include "registry/record_json.h"
#include "text/id_text.h"

namespace registry {
namespace {

constexpr std::string_view kKey = "tenant";  // of the one document that each tenant has
constexpr base::Duration kEraseAgainAfter = base::Duration::minutes(1);

std::string encode(const Tenant& tenant, std::string_view wrapped_key, bool is_going) {
  std::string value;
  text::JsonWriter writer(value);
  writer.begin_object().field("v", kRecordVersion).field("name", tenant.name);
  write_instant(writer, "created_at", tenant.created_at);
  write_bytes(writer, "key", wrapped_key);
  if (is_going) {
    writer.field("deleting", true);
  }
  writer.end_object();
  return value;
}

model::DocumentChange change_of(base::TenantId id, std::string value, uint64_t revision) {
  return {.table = model::Table::kTenants,
          .tenant = id,
          .key = std::string(kKey),
          .value = std::move(value),
          .expected_revision = revision};
}

std::unexpected<base::Error> no_such(base::TenantId id) {
  return base::fail(base::ErrorCode::kNotFound, "there is no tenant " + text::id_text(id));
}

}  // namespace

Tenants::Tenants(Documents& documents, IdMaker& ids, secrets::Envelope envelope, Erase erase)
    : documents_(documents), ids_(ids), envelope_(std::move(envelope)), erase_(std::move(erase)) {}

void Tenants::load(Done<void> done) {
  documents_.each(
      model::Table::kTenants, [this](const model::Document& it) { return loaded(it); },
      [this, done = std::move(done)](base::Result<void> result) {
        if (result.has_value()) {
          rewrap_next();
          // Not at once: what is under way at the start comes first.
          for (const base::TenantId id : std::exchange(to_erase_, {})) {
            documents_.later(kEraseAgainAfter, [this, id] { erase(id); });
          }
        }
        done(std::move(result));
      });
}

base::Result<void> Tenants::loaded(const model::Document& document) {
  TRY(RecordReader record, open_record(parser_, document));
  Entry entry{.name = record.text("name"),
              .created_at = record.instant("created_at"),
              .wrapped_key = record.bytes("key"),
              .revision = document.revision};
  const bool is_going = record.truth("deleting");
  if (!record.is_sound()) {
    return corrupt_record(document);
  }
  if (is_going) {
    going_.insert(document.tenant);
    to_erase_.push_back(document.tenant);
    return {};
  }
  TRY(const bool is_current, envelope_.is_current(entry.wrapped_key));
  if (!is_current) {
    to_rewrap_.push_back(document.tenant);
  }
  tenants_.emplace(document.tenant, std::move(entry));
  return {};
}

// One after the other: there may be many, and nobody waits for them.
void Tenants::rewrap_next() {
  if (to_rewrap_.empty()) {
    return;
  }
  const base::TenantId id = to_rewrap_.back();
  to_rewrap_.pop_back();
  const auto found = tenants_.find(id);
  auto wrapped =
      found == tenants_.end() ? no_such(id) : envelope_.rewrap(id, found->second.wrapped_key);
  if (!wrapped.has_value()) {
    rewrap_next();
    return;
  }
  const Entry& entry = found->second;
  std::string value =
      encode({.id = id, .name = entry.name, .created_at = entry.created_at}, *wrapped, false);
  documents_.commit({change_of(id, std::move(value), entry.revision)},
                    [this, id, wrapped = *wrapped](const base::Result<void>& result) {
                      const auto it = tenants_.find(id);
                      if (result.has_value() && it != tenants_.end()) {
                        it->second.wrapped_key = wrapped;
                        ++it->second.revision;
                      }
                      rewrap_next();
                    });
}

std::optional<Tenant> Tenants::find(base::TenantId id) const {
  const auto found = tenants_.find(id);
  if (found == tenants_.end()) {
    return std::nullopt;
  }
  return Tenant{.id = id, .name = found->second.name, .created_at = found->second.created_at};
}

TenantPage Tenants::list(base::TenantId after, uint32_t limit) const {
  TenantPage page;
  auto at = tenants_.upper_bound(after);
  for (; at != tenants_.end() && page.tenants.size() < limit; ++at) {
    page.tenants.push_back(
        {.id = at->first, .name = at->second.name, .created_at = at->second.created_at});
  }
  page.complete = at == tenants_.end();
  return page;
}

base::Result<Tenants::Draft> Tenants::draft(std::string name) {
  TRY([[maybe_unused]] const bool is_name, check_name("name", name));
  Draft draft;
  draft.tenant = {.id = {ids_.next()}, .name = std::move(name), .created_at = documents_.now()};
  draft.wrapped_key = envelope_.make_tenant_key(draft.tenant.id);
  draft.change = change_of(draft.tenant.id, encode(draft.tenant, draft.wrapped_key, false), 0);
  return draft;
}

void Tenants::created(const Draft& draft) {
  tenants_.emplace(draft.tenant.id, Entry{.name = draft.tenant.name,
                                          .created_at = draft.tenant.created_at,
                                          .wrapped_key = draft.wrapped_key,
                                          .revision = 1});
}

void Tenants::create(std::string name, Done<Tenant> done) {
  auto made = draft(std::move(name));
  if (!made.has_value()) {
    done(std::unexpected(made.error()));
    return;
  }
  documents_.commit({made->change},
                    [this, draft = *made, done = std::move(done)](base::Result<void> result) {
                      if (!result.has_value()) {
                        done(std::unexpected(std::move(result.error())));
                        return;
                      }
                      created(draft);
                      done(draft.tenant);
                    });
}

void Tenants::remove(base::TenantId id, Done<void> done) {
  const auto found = tenants_.find(id);
  if (found == tenants_.end()) {
    done(no_such(id));
    return;
  }
  const Entry& entry = found->second;
  std::string value = encode({.id = id, .name = entry.name, .created_at = entry.created_at},
                             entry.wrapped_key, true);
  documents_.commit({change_of(id, std::move(value), entry.revision)},
                    [this, id, done = std::move(done)](base::Result<void> result) {
                      if (result.has_value() && tenants_.erase(id) != 0) {
                        going_.insert(id);
                        forget_(id, [this, id] { erase(id); });
                      }
                      done(std::move(result));
                    });
}

void Tenants::erase(base::TenantId id) {
  erase_(id, [this, id](const base::Result<void>& result) {
    if (!result.has_value()) {
      documents_.later(kEraseAgainAfter, [this, id] { erase(id); });
      return;
    }
    going_.erase(id);
  });
}

base::Result<secrets::TenantKey> Tenants::open_key(base::TenantId id) const {
  const auto found = tenants_.find(id);
  if (found == tenants_.end()) {
    return no_such(id);
  }
  return envelope_.unwrap(id, found->second.wrapped_key);
}

}  // namespace registry
