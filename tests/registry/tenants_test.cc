// Tenants: made, found, deleted for good; and the keys that seal their secrets.

#include <gtest/gtest.h>

#include <algorithm>

#include "secrets/master_keys.h"
#include "tests/registry/registry_rig.h"

namespace registry_tests {
namespace {

using base::Duration;
using base::ErrorCode;

class Tenants : public RegistryRig {
 protected:
  base::Result<void> remove_tenant(base::TenantId tenant) {
    return ask<void>([&](auto done) { registry().tenants().remove(tenant, done); });
  }
};

TEST_F(Tenants, SurviveARestartInTheOrderOfTheirMaking) {
  const base::TenantId first = new_tenant("b");
  const base::TenantId second = new_tenant("a");
  restart();
  const registry::TenantPage all = registry().tenants().list({}, 9);
  ASSERT_EQ(all.tenants.size(), 2U);
  EXPECT_EQ(all.tenants[0].id, first);
  EXPECT_EQ(all.tenants[0].name, "b");
  EXPECT_EQ(all.tenants[1].id, second);
  EXPECT_TRUE(all.complete);
  EXPECT_FALSE(registry().tenants().list({}, 1).complete);
  EXPECT_EQ(registry().tenants().list(first, 9).tenants.at(0).id, second);
}

TEST_F(Tenants, ADeletedOneIsForgottenAtOnce) {
  const base::TenantId tenant = new_tenant();
  const auto made = create(tenant, R"({"url": "https://example.com/"})").value();
  const auto key =
      ask<registry::CreatedApiKey>([&](auto done) {
        registry().keys().create(tenant, {.name = "k", .scopes = {registry::Scope::kRead}}, done);
      }).value();
  ASSERT_TRUE(remove_tenant(tenant).has_value());
  EXPECT_FALSE(registry().tenants().contains(tenant));
  EXPECT_FALSE(registry().authenticate(key.text.text(), net::Address::v4(1)).caller.has_value());
  EXPECT_TRUE(matches(tenant, "a.b").empty());
  EXPECT_EQ(find(tenant, made.subscription.id).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(create(tenant, R"({"url": "https://example.com/"})").error().code,
            ErrorCode::kNotFound);
  EXPECT_TRUE(run_until([&] { return count_of(removed_told_, made.subscription.id) > 0; }));
  EXPECT_TRUE(run_until([&] { return erases_asked_.size() == 1; }));
  EXPECT_EQ(remove_tenant(tenant).error().code, ErrorCode::kNotFound);
}

TEST_F(Tenants, AnEraseIsAskedForUntilItIsDone) {
  const base::TenantId tenant = new_tenant();
  erase_fails_with_ = base::Error{ErrorCode::kConflict, "deliveries are unfinished"};
  ASSERT_TRUE(remove_tenant(tenant).has_value());
  run_for(Duration::minutes(2));
  EXPECT_GE(erases_asked_.size(), 2U);
  erase_fails_with_.reset();
  run_for(Duration::minutes(2));
  const size_t asked = erases_asked_.size();
  run_for(Duration::hours(1));
  EXPECT_EQ(erases_asked_.size(), asked);
}

TEST_F(Tenants, ARestartGoesOnWithTheErase) {
  const base::TenantId tenant = new_tenant();
  const auto made = create(tenant, R"({"url": "https://example.com/"})").value();
  const auto key =
      ask<registry::CreatedApiKey>([&](auto done) {
        registry().keys().create(tenant, {.name = "k", .scopes = {registry::Scope::kRead}}, done);
      }).value();
  erase_fails_with_ = base::Error{ErrorCode::kConflict, "deliveries are unfinished"};
  ASSERT_TRUE(remove_tenant(tenant).has_value());
  restart();
  EXPECT_FALSE(registry().tenants().contains(tenant));
  EXPECT_TRUE(registry().tenants().is_going(tenant));
  EXPECT_TRUE(matches(tenant, "a.b").empty());
  EXPECT_EQ(count_of(removed_told_, made.subscription.id), 1U);
  EXPECT_FALSE(registry().authenticate(key.text.text(), net::Address::v4(1)).caller.has_value());
  erase_fails_with_.reset();
  run_for(Duration::minutes(2));
  EXPECT_EQ(erases_asked_, (std::vector<base::TenantId>{tenant}));
}

TEST_F(Tenants, ANewMasterKeyWrapsTheirKeysAtTheNextStart) {
  const base::TenantId tenant = new_tenant();
  const auto made =
      create(tenant, R"({"url": "https://example.com/", "bearer_token": "t0ken"})").value();
  const std::string old_keys = master_keys_;
  std::string new_key(secrets::generate_master_key().text());
  master_keys_ = old_keys + "\n" + new_key;
  restart();
  EXPECT_TRUE(run_until([&] { return documents(model::Table::kTenants).at(0).revision == 2; }));
  master_keys_ = new_key;
  restart();
  EXPECT_EQ(target(made.subscription).value()->bearer_token.text(), "t0ken");
}

TEST_F(Tenants, WithoutTheirMasterKeyNothingStarts) {
  new_tenant();
  master_keys_ = secrets::generate_master_key().text();
  const auto loaded = try_restart();
  // The key that wraps them is known by its name, or their secrets open to an error.
  if (loaded.has_value()) {
    const base::TenantId tenant = registry().tenants().list({}, 1).tenants.at(0).id;
    EXPECT_FALSE(registry().tenants().open_key(tenant).has_value());
  }
}

}  // namespace
}  // namespace registry_tests
