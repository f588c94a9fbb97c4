// Targets: what an attempt is sent with, read once and kept until something changes.

#include <gtest/gtest.h>

#include <array>

#include "delivery/signature.h"
#include "tests/registry/registry_rig.h"

namespace registry_tests {
namespace {

using base::Duration;
using base::ErrorCode;
using registry::Target;

using TargetPtr = std::shared_ptr<const Target>;

class Targets : public RegistryRig {
 protected:
  Targets() : tenant_(new_tenant()) {}

  // The target if it is in memory.
  TargetPtr at_once(const registry::Subscription& subscription) {
    const auto found = std::make_shared<TargetPtr>();
    registry().target_of(delivery_of(subscription), [found](base::Result<TargetPtr> result) {
      *found = result.value_or(nullptr);
    });
    return *found;
  }

  static bool verifies(const Target& target, std::string_view secret) {
    constexpr int64_t kTime = 1'800'000'000;
    const auto header =
        target.signer->sign({.id = "evt_1", .unix_seconds = kTime, .body = "{}"}).value();
    const std::array<std::string_view, 1> keys = {secret};
    return !delivery::Verifier::make(keys)
                .value()
                .verify({.id = "evt_1", .timestamp = "1800000000", .signature = header}, "{}",
                        kTime)
                .has_value();
  }

  base::TenantId tenant_;
};

TEST_F(Targets, HaveUrlSignatureAndCredentials) {
  const auto made = create(tenant_, R"({"url": "https://example.com/hook?a=b",
      "bearer_token": "t0ken", "headers": {"X-Key": "v"}, "description": "d"})")
                        .value();
  const TargetPtr found = target(made.subscription).value();
  EXPECT_EQ(found->url.to_string(), "https://example.com/hook?a=b");
  EXPECT_EQ(found->description, "d");
  EXPECT_TRUE(verifies(*found, made.signing_secret.text()));
  delivery::PreparedRequest request;
  found->put_into(request);
  EXPECT_EQ(request.headers.text(), "Authorization: Bearer t0ken\r\nX-Key: v\r\n");
  EXPECT_EQ(request.url, found->url);
  EXPECT_EQ(request.signer, found->signer);
  EXPECT_EQ(request.pool_owner, made.subscription.endpoint.value);
}

TEST_F(Targets, UnsignedOnesHaveNoSigner) {
  const auto made =
      create(tenant_, R"({"url": "https://example.com/", "signing": {"scheme": "none"}})").value();
  EXPECT_TRUE(made.signing_secret.empty());
  EXPECT_EQ(target(made.subscription).value()->signer, nullptr);
}

TEST_F(Targets, AnsweredAtOnceTheSecondTime) {
  const auto made = create(tenant_, R"({"url": "https://example.com/"})").value();
  const TargetPtr first = target(made.subscription).value();
  EXPECT_EQ(at_once(made.subscription), first);
}

TEST_F(Targets, ManyWhoMissShareOneLoad) {
  const auto made = create(tenant_, R"({"url": "https://example.com/"})").value();
  std::vector<TargetPtr> found;
  for (int i = 0; i < 10; ++i) {
    registry().target_of(delivery_of(made.subscription), [&](base::Result<TargetPtr> result) {
      found.push_back(std::move(result).value());
    });
  }
  EXPECT_TRUE(found.empty());
  ASSERT_TRUE(run_until([&] { return found.size() == 10; }));
  for (const TargetPtr& it : found) {
    EXPECT_EQ(it, found[0]);
  }
}

TEST_F(Targets, AChangeIsSeenByTheNextAttempt) {
  const auto made =
      create(tenant_, R"({"url": "https://example.com/", "bearer_token": "old"})").value();
  ASSERT_TRUE(target(made.subscription).has_value());
  ASSERT_TRUE(update(tenant_, made.subscription.id, R"({"bearer_token": "new"})").has_value());
  EXPECT_EQ(target(made.subscription).value()->bearer_token.text(), "new");
}

TEST_F(Targets, ALoadUnderWayDuringAChangeIsNotUsed) {
  const auto made =
      create(tenant_, R"({"url": "https://example.com/", "bearer_token": "old"})").value();
  store_.set_faults({.read_delay_max = Duration::seconds(9)});
  for (int i = 0; i < 20; ++i) {
    const std::string token = "token-" + std::to_string(i);
    bool is_changed = false;
    std::optional<std::string> seen_after;
    subscriptions().update(tenant_, made.subscription.id,
                           parser_.parse(R"({"bearer_token": ")" + token + R"("})").value(),
                           [&](const base::Result<registry::ChangedSubscription>& result) {
                             ASSERT_TRUE(result.has_value());
                             is_changed = true;
                           });
    registry().target_of(delivery_of(made.subscription), [&](base::Result<TargetPtr> result) {
      // Before the change is reported either may be seen, afterwards only the new one.
      if (is_changed) {
        seen_after = std::string(result.value()->bearer_token.text());
      } else {
        seen_after = token;
      }
    });
    ASSERT_TRUE(run_until([&] { return is_changed && seen_after.has_value(); }));
    EXPECT_EQ(seen_after, token);
  }
}

TEST_F(Targets, ADeliveryKeepsTheUrlItWasQueuedFor) {
  const auto made =
      create(tenant_, R"({"url": "https://example.com/a", "bearer_token": "old"})").value();
  const auto moved = update(tenant_, made.subscription.id,
                            R"({"url": "https://example.com/b", "bearer_token": "new"})")
                         .value();
  const TargetPtr old_place = target(made.subscription).value();
  EXPECT_EQ(old_place->url.to_string(), "https://example.com/a");
  EXPECT_EQ(old_place->bearer_token.text(), "new");
  const TargetPtr new_place = target(moved.subscription).value();
  EXPECT_EQ(new_place->url.to_string(), "https://example.com/b");
  EXPECT_EQ(at_once(made.subscription), old_place);
  EXPECT_EQ(at_once(moved.subscription), new_place);
}

TEST_F(Targets, OfARemovedSubscriptionAreNotFoundAndTheCoreHearsOfIt) {
  const auto made = create(tenant_, R"({"url": "https://example.com/"})").value();
  ASSERT_TRUE(target(made.subscription).has_value());
  ASSERT_TRUE(remove(tenant_, made.subscription.id).has_value());
  removed_told_.clear();
  EXPECT_EQ(target(made.subscription).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(count_of(removed_told_, made.subscription.id), 1U);
}

TEST_F(Targets, AreNotHandedToOtherTenants) {
  const auto made = create(tenant_, R"({"url": "https://example.com/"})").value();
  registry::Subscription foreign = made.subscription;
  foreign.tenant = new_tenant("other");
  EXPECT_EQ(target(foreign).error().code, ErrorCode::kNotFound);
}

TEST_F(Targets, ARotatedSecretSignsTogetherWithTheOldOneForAWhile) {
  const auto made = create(tenant_, R"({"url": "https://example.com/"})").value();
  ASSERT_TRUE(target(made.subscription).has_value());
  const auto rotated = rotate(tenant_, made.subscription.id, R"({"overlap": "1h"})").value();
  EXPECT_NE(rotated.signing_secret.text(), made.signing_secret.text());
  const TargetPtr both = target(made.subscription).value();
  EXPECT_TRUE(verifies(*both, made.signing_secret.text()));
  EXPECT_TRUE(verifies(*both, rotated.signing_secret.text()));
  run_for(Duration::hours(1));
  const TargetPtr one = target(made.subscription).value();
  EXPECT_FALSE(verifies(*one, made.signing_secret.text()));
  EXPECT_TRUE(verifies(*one, rotated.signing_secret.text()));
}

TEST_F(Targets, ARotationWithoutOverlapEndsTheOldSecretAtOnce) {
  const auto made = create(tenant_, R"({"url": "https://example.com/"})").value();
  const auto rotated = rotate(tenant_, made.subscription.id, R"({"overlap": "0"})").value();
  const TargetPtr found = target(made.subscription).value();
  EXPECT_FALSE(verifies(*found, made.signing_secret.text()));
  EXPECT_TRUE(verifies(*found, rotated.signing_secret.text()));
}

TEST_F(Targets, AnyNumberOfRotationsStaysWithinTheHeader) {
  const auto made = create(tenant_, R"({"url": "https://example.com/"})").value();
  std::string last;
  for (int i = 0; i < 12; ++i) {
    last = rotate(tenant_, made.subscription.id, "{}").value().signing_secret.text();
  }
  EXPECT_TRUE(verifies(*target(made.subscription).value(), last));
}

TEST_F(Targets, NoMoreAreKeptThanAllowed) {
  options_.targets_max = 3;
  restart();
  std::vector<registry::ChangedSubscription> made;
  for (int i = 0; i < 5; ++i) {
    made.push_back(
        create(tenant_, R"({"url": "https://example.com/)" + std::to_string(i) + R"("})").value());
    ASSERT_TRUE(target(made.back().subscription).has_value());
  }
  EXPECT_EQ(at_once(made[0].subscription), nullptr);
  EXPECT_NE(at_once(made[4].subscription), nullptr);
}

}  // namespace
}  // namespace registry_tests
