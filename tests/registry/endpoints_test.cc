// Endpoints: one id for one URL of a tenant, for ever.

#include <gtest/gtest.h>

#include "tests/registry/registry_rig.h"
#include "text/id_text.h"

namespace registry_tests {
namespace {

using base::ErrorCode;
using registry::EndpointUrl;

constexpr const char* kBody = R"({"url": "https://example.com/a"})";

class Endpoints : public RegistryRig {
 protected:
  Endpoints() : tenant_(new_tenant()) {}

  base::Result<EndpointUrl> url_of(base::TenantId tenant, base::EndpointId id) {
    return ask<EndpointUrl>([&](auto done) { registry().endpoints().find(tenant, id, done); });
  }

  base::TenantId tenant_;
};

TEST_F(Endpoints, TheIdIsPartOfTheStorageFormat) {
  EXPECT_EQ(text::id_text(registry::Endpoints::first_id({1}, "https://example.com/a")),
            "ep_f15fbf17dae32d0f");
}

TEST_F(Endpoints, SubscriptionsWithOneUrlShareAnEndpoint) {
  const auto first = create(tenant_, R"({"url": "https://example.com/a", "type": "a"})").value();
  const auto second = create(tenant_, R"({"url": "https://example.com/a", "type": "b"})").value();
  const auto other = create(tenant_, R"({"url": "https://example.com/A", "type": "b"})").value();
  EXPECT_EQ(first.subscription.endpoint, second.subscription.endpoint);
  EXPECT_NE(first.subscription.endpoint, other.subscription.endpoint);
  EXPECT_EQ(url_of(tenant_, first.subscription.endpoint).value().url, "https://example.com/a");
  EXPECT_EQ(url_of(tenant_, other.subscription.endpoint).value().url, "https://example.com/A");
}

TEST_F(Endpoints, TenantsDoNotShareThem) {
  const base::TenantId other = new_tenant("other");
  const auto ours = create(tenant_, kBody).value();
  const auto theirs = create(other, kBody).value();
  EXPECT_NE(ours.subscription.endpoint, theirs.subscription.endpoint);
  EXPECT_EQ(url_of(other, ours.subscription.endpoint).error().code, ErrorCode::kNotFound);
}

TEST_F(Endpoints, DeleteAndCreateFindsTheSameOne) {
  const auto first = create(tenant_, kBody).value();
  ASSERT_TRUE(remove(tenant_, first.subscription.id).has_value());
  EXPECT_TRUE(url_of(tenant_, first.subscription.endpoint).has_value());
  restart();
  const auto second = create(tenant_, kBody).value();
  EXPECT_NE(first.subscription.id, second.subscription.id);
  EXPECT_EQ(first.subscription.endpoint, second.subscription.endpoint);
}

TEST_F(Endpoints, AHashThatIsTakenLeadsToTheNextNumber) {
  const base::EndpointId taken = registry::Endpoints::first_id(tenant_, "https://example.com/a");
  store::Batch batch;
  batch.documents = {{.table = model::Table::kEndpointUrls,
                      .tenant = tenant_,
                      .key = text::id_text(taken),
                      .value = R"({"v":1,"url":"https://example.com/other"})",
                      .expected_revision = 0}};
  bool is_stored = false;
  store_.commit(now(), batch, [&](const store::BatchResult&) { is_stored = true; });
  ASSERT_TRUE(run_until([&] { return is_stored; }));
  const auto made = create(tenant_, kBody).value();
  EXPECT_EQ(made.subscription.endpoint.value, taken.value + 1);
  EXPECT_EQ(made.subscription.endpoint.shard(), taken.shard());
  EXPECT_EQ(url_of(tenant_, taken).value().url, "https://example.com/other");
  const auto again = create(tenant_, R"({"url": "https://example.com/a", "type": "b"})").value();
  EXPECT_EQ(again.subscription.endpoint, made.subscription.endpoint);
}

TEST_F(Endpoints, AreListedInPages) {
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(create(tenant_, R"({"url": "https://example.com/)" + std::to_string(i) + R"("})")
                    .has_value());
  }
  std::vector<EndpointUrl> seen;
  for (bool is_complete = false; !is_complete;) {
    const base::EndpointId after = seen.empty() ? base::EndpointId() : seen.back().id;
    const auto page = ask<registry::EndpointPage>([&](auto done) {
                        registry().endpoints().list(tenant_, after, 2, done);
                      }).value();
    ASSERT_FALSE(page.endpoints.empty());
    seen.insert(seen.end(), page.endpoints.begin(), page.endpoints.end());
    is_complete = page.complete;
  }
  EXPECT_EQ(seen.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(seen, {}, &EndpointUrl::id));
}

TEST_F(Endpoints, RacingCreationsOfOneUrlAgree) {
  std::vector<registry::ChangedSubscription> made;
  for (const char* type : {"a", "b", "c", "d"}) {
    const std::string body =
        R"({"url": "https://example.com/a", "type": ")" + std::string(type) + R"("})";
    subscriptions().create(tenant_, parser_.parse(body).value(),
                           [&](base::Result<registry::ChangedSubscription> result) {
                             made.push_back(std::move(result).value());
                           });
  }
  ASSERT_TRUE(run_until([&] { return made.size() == 4; }));
  for (const registry::ChangedSubscription& it : made) {
    EXPECT_EQ(it.subscription.endpoint, made[0].subscription.endpoint);
  }
}

}  // namespace
}  // namespace registry_tests
