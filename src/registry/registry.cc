#include "registry/registry.h"

#include <memory>
#include <utility>

#include "secrets/key_file.h"
#include "secrets/master_keys.h"
#include "text/id_text.h"

namespace registry {
namespace {

std::string_view without_line_break(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  return text;
}

// The key of a first start that was cut short, or a new one.
base::Result<secrets::SecretBytes> find_admin_key(const std::string& path, Keys& keys) {
  auto file = secrets::read_private_file(path);
  if (file.has_value()) {
    return secrets::SecretBytes::copy_of(without_line_break(file->text()));
  }
  if (file.error().code != base::ErrorCode::kNotFound) {
    return std::unexpected(std::move(file.error()));
  }
  secrets::SecretBytes text = keys.make_text();
  auto written = secrets::write_private_file(path, secrets::FileMode::kCreate,
                                             std::string(text.text()) + "\n");
  if (!written.has_value()) {
    return std::unexpected(std::move(written.error()));
  }
  return text;
}

}  // namespace

Registry::Registry(const Options& options, Parts parts)
    : documents_(parts.scheduler, parts.store),
      ids_(parts.scheduler),
      tenants_(documents_, ids_, std::move(parts.envelope),
               std::move(parts.callbacks.erase_tenant)),
      keys_(documents_, ids_, tenants_, options.failed_tries),
      endpoints_(documents_),
      targets_({.documents = documents_,
                .tenants = tenants_,
                .endpoints = endpoints_,
                .roots = parts.roots,
                .missing = parts.callbacks.removed},
               options.targets_max),
      subscriptions_({.documents = documents_,
                      .ids = ids_,
                      .tenants = tenants_,
                      .endpoints = endpoints_,
                      .index = parts.index,
                      .guard = parts.guard,
                      .roots = parts.roots},
                     options.retry,
                     {.settings = std::move(parts.callbacks.settings),
                      .removed = parts.callbacks.removed,
                      .changed = [this](base::SubscriptionId id) { targets_.forget(id); }}) {
  tenants_.on_going([this](base::TenantId tenant, std::function<void()> done) {
    keys_.forget_tenant(tenant);
    subscriptions_.forget_tenant(tenant, std::move(done));
  });
}

void Registry::load(Done<void> done) {
  tenants_.load([this, done = std::move(done)](base::Result<void> tenants) {
    if (!tenants.has_value()) {
      done(std::move(tenants));
      return;
    }
    keys_.load([this, done](base::Result<void> keys) {
      if (!keys.has_value()) {
        done(std::move(keys));
        return;
      }
      subscriptions_.load(done);
    });
  });
}

void Registry::bootstrap(const std::string& data_directory, Done<std::optional<FirstStart>> done) {
  if (!tenants_.is_empty()) {
    done(std::optional<FirstStart>());
    return;
  }
  const std::string path = data_directory + "/admin.key";
  const auto text = std::make_shared<secrets::SecretBytes>();
  const auto start = [&]() -> base::Result<std::pair<Tenants::Draft, Keys::Draft>> {
    TRY(*text, find_admin_key(path, keys_));
    TRY(Tenants::Draft tenant, tenants_.draft(std::string(kDefaultTenantName)));
    TRY(Keys::Draft key,
        keys_.draft(tenant.tenant.id,
                    {.name = "admin", .scopes = {Scope::kAdmin}, .expires_at = {}}, text->text()));
    return std::pair(std::move(tenant), std::move(key));
  }();
  if (!start.has_value()) {
    done(base::fail(start.error().code, path + ": " + start.error().detail));
    return;
  }
  const auto& [tenant, key] = *start;
  documents_.commit({tenant.change, key.change}, [this, path, text, tenant, key,
                                                  done =
                                                      std::move(done)](base::Result<void> result) {
    if (!result.has_value()) {
      done(std::unexpected(std::move(result.error())));
      return;
    }
    tenants_.created(tenant);
    keys_.created(key);
    done(FirstStart{.tenant = tenant.tenant.id, .admin_key = std::move(*text), .key_file = path});
  });
}

base::Result<Caller> Registry::act_in(const Caller& caller, std::string_view tenant) const {
  const std::optional<base::TenantId> id = text::parse_tenant_id(tenant);
  const bool is_own = id && *id == caller.tenant;
  if (!id || !tenants_.contains(*id) || (!is_own && !caller.scopes.has(Scope::kAdmin))) {
    return base::fail(base::ErrorCode::kNotFound,
                      "there is no such tenant, or your key is of another one");
  }
  Caller acting = caller;
  acting.tenant = *id;
  return acting;
}

base::Result<secrets::MasterKeys> find_master_keys(const std::string& data_directory,
                                                   const std::string& path) {
  if (!path.empty()) {
    return secrets::MasterKeys::load_file(path);
  }
  const std::string own = data_directory + "/master.key";
  auto made = secrets::create_key_file(own);
  if (!made.has_value() && made.error().code != base::ErrorCode::kConflict) {
    return std::unexpected(std::move(made.error()));
  }
  return secrets::MasterKeys::load_file(own);
}

}  // namespace registry
