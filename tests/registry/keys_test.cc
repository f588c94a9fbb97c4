// API keys: who gets in, who does not, and what is left of a key in the store.

#include <gtest/gtest.h>

#include "tests/registry/registry_rig.h"
#include "text/id_text.h"

namespace registry_tests {
namespace {

using base::Duration;
using base::ErrorCode;
using registry::Authentication;
using registry::CreatedApiKey;
using registry::Scope;

const net::Address kPeer = net::Address::v4(0xc0000201);

class Keys : public RegistryRig {
 protected:
  Keys() : tenant_(new_tenant()) {}

  CreatedApiKey create_key(const registry::NewApiKey& wanted) {
    return ask<CreatedApiKey>([&](auto done) { registry().keys().create(tenant_, wanted, done); })
        .value();
  }
  CreatedApiKey create_key() { return create_key({.name = "k", .scopes = {Scope::kRead}}); }

  std::optional<registry::Caller> caller_of(std::string_view text) {
    return registry().authenticate(text, kPeer).caller;
  }

  base::TenantId tenant_;
};

TEST_F(Keys, AKeyHasTheFormThatDocumentsPromise) {
  const CreatedApiKey key = create_key();
  const std::string text(key.text.text());
  ASSERT_EQ(text.size(), 4 + 16 + 1 + 43U);
  EXPECT_TRUE(text.starts_with("prk_"));
  EXPECT_EQ(text[20], '_');
  EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                   "0123456789-_",
                                   21),
            std::string::npos);
}

TEST_F(Keys, TheRightTextFindsTenantAndScopes) {
  const CreatedApiKey key = create_key({.name = "k", .scopes = {Scope::kRead, Scope::kPublish}});
  const auto caller = caller_of(key.text.text());
  ASSERT_TRUE(caller.has_value());
  EXPECT_EQ(caller->tenant, tenant_);
  EXPECT_EQ(caller->key, key.key.id);
  EXPECT_TRUE(caller->scopes.has(Scope::kRead));
  EXPECT_TRUE(caller->scopes.has(Scope::kPublish));
  EXPECT_FALSE(caller->scopes.has(Scope::kManage));
  EXPECT_FALSE(caller->scopes.has(Scope::kAdmin));
}

TEST_F(Keys, AnAdminHasEveryScope) {
  const CreatedApiKey key = create_key({.name = "k", .scopes = {Scope::kAdmin}});
  const auto caller = caller_of(key.text.text());
  ASSERT_TRUE(caller.has_value());
  for (const Scope scope : {Scope::kPublish, Scope::kRead, Scope::kManage, Scope::kAdmin}) {
    EXPECT_TRUE(caller->scopes.has(scope));
  }
  EXPECT_EQ(caller->scopes.words(), (std::vector<std::string_view>{"admin"}));
}

TEST_F(Keys, EveryChangedCharacterIsRefused) {
  options_.failed_tries.tries_max = 1000;
  restart();
  const std::string right(create_key().text.text());
  for (size_t i = 0; i < right.size(); ++i) {
    std::string wrong = right;
    wrong[i] = wrong[i] == 'x' ? 'y' : 'x';
    EXPECT_FALSE(caller_of(wrong).has_value()) << i;
  }
  for (const std::string& wrong : {std::string(), right + "x", right.substr(1), "x" + right}) {
    EXPECT_FALSE(caller_of(wrong).has_value()) << wrong.size();
  }
  EXPECT_TRUE(caller_of(right).has_value());
}

TEST_F(Keys, SurviveARestart) {
  const std::string text(create_key().text.text());
  restart();
  ASSERT_TRUE(caller_of(text).has_value());
  EXPECT_EQ(caller_of(text)->tenant, tenant_);
}

TEST_F(Keys, TheStoreDoesNotKnowTheSecretPart) {
  const std::string secret(create_key().text.text().substr(21));
  ASSERT_EQ(documents(model::Table::kApiKeys).size(), 1U);
  EXPECT_EQ(documents(model::Table::kApiKeys)[0].value.find(secret), std::string::npos);
}

TEST_F(Keys, AnExpiredKeyIsRefusedFromItsTimeOn) {
  const base::Instant end = now() + Duration::hours(1);
  const std::string text(
      create_key({.name = "k", .scopes = {Scope::kRead}, .expires_at = end}).text.text());
  const auto caller = caller_of(text);
  ASSERT_TRUE(caller.has_value());
  EXPECT_TRUE(registry().still_lets_in(*caller));
  run_for(Duration::hours(1));
  EXPECT_FALSE(caller_of(text).has_value());
  EXPECT_FALSE(registry().still_lets_in(*caller));
}

TEST_F(Keys, ARevokedKeyIsRefusedAlsoAfterARestart) {
  const CreatedApiKey key = create_key();
  const auto caller = caller_of(key.text.text());
  ASSERT_TRUE(caller.has_value());
  const auto revoked =
      ask<void>([&](auto done) { registry().keys().revoke(tenant_, key.key.id, done); });
  EXPECT_TRUE(revoked.has_value());
  EXPECT_FALSE(registry().still_lets_in(*caller));
  EXPECT_FALSE(caller_of(key.text.text()).has_value());
  restart();
  EXPECT_FALSE(caller_of(key.text.text()).has_value());
}

TEST_F(Keys, AForeignKeyCannotBeRevoked) {
  const CreatedApiKey key = create_key();
  const base::TenantId other = new_tenant("other");
  const auto revoked =
      ask<void>([&](auto done) { registry().keys().revoke(other, key.key.id, done); });
  ASSERT_FALSE(revoked.has_value());
  EXPECT_EQ(revoked.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(caller_of(key.text.text()).has_value());
}

TEST_F(Keys, TooManyWrongKeysCloseTheDoorAlsoForRightOnes) {
  const std::string text(create_key().text.text());
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(registry().authenticate("wrong", kPeer).retry_after.has_value());
  }
  const Authentication refused = registry().authenticate(text, kPeer);
  EXPECT_FALSE(refused.caller.has_value());
  EXPECT_EQ(refused.retry_after, Duration::minutes(1));
  EXPECT_TRUE(registry().authenticate(text, net::Address::v4(1)).caller.has_value());
  run_for(Duration::minutes(1));
  EXPECT_TRUE(caller_of(text).has_value());
}

TEST_F(Keys, AreListedWithoutSecretsInPages) {
  for (const char* name : {"a", "b", "c"}) {
    create_key({.name = name, .scopes = {Scope::kRead}});
  }
  const auto list = [&](registry::KeyId after) {
    return ask<registry::ApiKeyPage>(
               [&](auto done) { registry().keys().list(tenant_, after, 2, done); })
        .value();
  };
  const registry::ApiKeyPage first = list({});
  ASSERT_EQ(first.keys.size(), 2U);
  EXPECT_EQ(first.keys[0].name, "a");
  EXPECT_FALSE(first.complete);
  const registry::ApiKeyPage second = list(first.keys[1].id);
  ASSERT_EQ(second.keys.size(), 1U);
  EXPECT_EQ(second.keys[0].name, "c");
  EXPECT_TRUE(second.complete);
}

TEST_F(Keys, WhatMakesNoSenseIsRefusedByField) {
  const auto refusal = [&](const registry::NewApiKey& wanted) {
    return ask<CreatedApiKey>([&](auto done) { registry().keys().create(tenant_, wanted, done); })
        .error()
        .detail;
  };
  EXPECT_TRUE(refusal({.name = "", .scopes = {Scope::kRead}}).starts_with("name: "));
  EXPECT_TRUE(refusal({.name = "a\nb", .scopes = {Scope::kRead}}).starts_with("name: "));
  EXPECT_TRUE(refusal({.name = "k", .scopes = {}}).starts_with("scopes: "));
  EXPECT_TRUE(refusal({.name = "k", .scopes = {Scope::kRead}, .expires_at = now()})
                  .starts_with("expires_at: "));
}

TEST_F(Keys, OnlyAnAdminActsInAnotherTenant) {
  const base::TenantId other = new_tenant("other");
  const std::string there = text::id_text(other);
  registry::Caller caller{.tenant = tenant_, .scopes = {Scope::kManage}, .key = {1}};
  EXPECT_EQ(registry().act_in(caller, there).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(registry().act_in(caller, text::id_text(tenant_)).value().tenant, tenant_);
  caller.scopes = {Scope::kAdmin};
  EXPECT_EQ(registry().act_in(caller, there).value().tenant, other);
  EXPECT_EQ(registry().act_in(caller, "ten_0000000000000001").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(registry().act_in(caller, "nonsense").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace registry_tests
