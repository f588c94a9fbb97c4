#include "tests/registry/registry_rig.h"

#include "net/tls_identity.h"
#include "secrets/master_keys.h"

namespace registry_tests {
namespace {

using base::Duration;
using registry::ChangedSubscription;

constexpr Duration kPatience = Duration::minutes(5);

constexpr sim::StoreFaults kLateAnswers{.commit_delay_min = Duration::ms(1),
                                        .commit_delay_max = Duration::ms(3),
                                        .report_delay_max = Duration::ms(2),
                                        .read_delay_max = Duration::ms(4)};

}  // namespace

RegistryRig::RegistryRig()
    : store_({.seed = 1}, {}), guard_({}), master_keys_(secrets::generate_master_key().text()) {
  store_.set_faults(kLateAnswers);
  start();
  const auto loaded = ask<void>([&](auto done) { registry_->load(done); });
  EXPECT_TRUE(loaded.has_value()) << loaded.error().detail;
}

void RegistryRig::start() {
  registry_.reset();
  scheduler_ = std::make_unique<sim::SimScheduler>(timeline_, kStart + timeline_.elapsed(),
                                                   store_.last_committed());
  store_.attach(*scheduler_);
  index_ = std::make_unique<match::SubscriptionIndex>();
  settings_told_.clear();
  removed_told_.clear();
  erases_asked_.clear();
  registry_ = std::make_unique<registry::Registry>(
      options_,
      registry::Parts{
          .scheduler = *scheduler_,
          .store = store_,
          .index = *index_,
          .guard = guard_,
          .roots = net::TlsRoots::system().value(),
          .envelope = secrets::Envelope(secrets::MasterKeys::parse(master_keys_).value()),
          .callbacks = {
              .settings = [this](const auto& settings) { settings_told_.push_back(settings); },
              .removed = [this](base::SubscriptionId id) { removed_told_.push_back(id); },
              .erase_tenant =
                  [this](base::TenantId tenant, const registry::Done<void>& done) {
                    erases_asked_.push_back(tenant);
                    done(erase_fails_with_ ? base::Result<void>(std::unexpected(*erase_fails_with_))
                                           : base::Result<void>());
                  }}});
}

bool RegistryRig::run_until(const std::function<bool()>& is_done) {
  const Duration until = timeline_.elapsed() + kPatience;
  while (!is_done()) {
    if (!timeline_.run_next(until)) {
      return false;
    }
  }
  return true;
}

void RegistryRig::run_for(Duration time) {
  const Duration until = timeline_.elapsed() + time;
  while (timeline_.run_next(until)) {
  }
}

void RegistryRig::restart() {
  const auto loaded = try_restart();
  ASSERT_TRUE(loaded.has_value()) << loaded.error().detail;
}

base::Result<void> RegistryRig::try_restart() {
  store_.crash();
  start();
  return ask<void>([&](auto done) { registry_->load(done); });
}

base::TenantId RegistryRig::new_tenant(const std::string& name) {
  return ask<registry::Tenant>([&](auto done) { registry_->tenants().create(name, done); })
      .value()
      .id;
}

base::Result<ChangedSubscription> RegistryRig::create(base::TenantId tenant,
                                                      std::string_view json) {
  return ask<ChangedSubscription>(
      [&](auto done) { subscriptions().create(tenant, parser_.parse(json).value(), done); });
}

base::Result<ChangedSubscription> RegistryRig::update(base::TenantId tenant,
                                                      base::SubscriptionId id,
                                                      std::string_view json) {
  return ask<ChangedSubscription>(
      [&](auto done) { subscriptions().update(tenant, id, parser_.parse(json).value(), done); });
}

base::Result<ChangedSubscription> RegistryRig::rotate(base::TenantId tenant,
                                                      base::SubscriptionId id,
                                                      std::string_view json) {
  return ask<ChangedSubscription>(
      [&](auto done) { subscriptions().rotate(tenant, id, parser_.parse(json).value(), done); });
}

base::Result<void> RegistryRig::remove(base::TenantId tenant, base::SubscriptionId id) {
  return ask<void>([&](auto done) { subscriptions().remove(tenant, id, done); });
}

base::Result<registry::Subscription> RegistryRig::find(base::TenantId tenant,
                                                       base::SubscriptionId id) {
  return ask<registry::Subscription>([&](auto done) { subscriptions().find(tenant, id, done); });
}

model::Delivery RegistryRig::delivery_of(const registry::Subscription& subscription) {
  return {.id = {1},
          .endpoint = subscription.endpoint,
          .tenant = subscription.tenant,
          .subscription = subscription.id};
}

base::Result<std::shared_ptr<const registry::Target>> RegistryRig::target(
    const registry::Subscription& subscription) {
  return ask<std::shared_ptr<const registry::Target>>(
      [&](auto done) { registry_->target_of(delivery_of(subscription), done); });
}

std::vector<base::SubscriptionId> RegistryRig::matches(base::TenantId tenant, std::string_view type,
                                                       std::string_view payload) {
  const match::JsonValue parsed = parser_.parse(payload).value();
  std::vector<match::Match> found;
  EXPECT_TRUE(index_
                  ->match({.tenant = tenant,
                           .type = type,
                           .object_code = {},
                           .object_id = {},
                           .states = match::States::of(parsed)},
                          found)
                  .has_value());
  std::vector<base::SubscriptionId> ids;
  for (const delivery::MatchedSubscription& match : subscriptions().matched(found)) {
    ids.push_back(match.id);
  }
  return ids;
}

std::vector<model::Document> RegistryRig::documents(model::Table table) {
  return store_.tables()
      .documents({.table = table, .tenant = {}, .after = {}, .limit = 1000, .every_tenant = true})
      .documents;
}

}  // namespace registry_tests
