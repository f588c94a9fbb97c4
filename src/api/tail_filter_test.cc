#include "api/tail_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "text/id_text.h"

namespace api {
namespace {

constexpr base::EndpointId kEndpoint = base::EndpointId::make(1, 1);
constexpr base::EndpointId kOther = base::EndpointId::make(1, 2);

std::expected<TailFilter, Problem> read(std::string_view query) {
  http::Request request;
  request.query = query;
  return read_tail_filter(request);
}

model::DeliveryOwner owner(base::EndpointId endpoint, uint64_t subscription) {
  return {.tenant = {1}, .endpoint = endpoint, .subscription = {subscription}, .object = {}};
}

model::Delivery delivery(base::EndpointId endpoint, uint64_t subscription) {
  model::Delivery made;
  made.endpoint = endpoint;
  made.subscription = {subscription};
  return made;
}

TEST(TailFilter, WithoutParametersEverythingIsWanted) {
  const TailFilter filter = read("").value();
  for (const TailKind kind : kTailKinds) {
    EXPECT_TRUE(filter.wants(kind)) << name_of(kind);
  }
  EXPECT_TRUE(filter.wants(owner(kEndpoint, 7)));
  EXPECT_TRUE(filter.wants(std::vector<model::Delivery>()));
  EXPECT_TRUE(filter.wants_circuit_of(kEndpoint));
}

TEST(TailFilter, OnlyTheKindsThatAreNamedAreWanted) {
  const TailFilter filter = read("show=attempt_ended,%20circuit_changed").value();
  EXPECT_TRUE(filter.wants(TailKind::kAttemptEnded));
  EXPECT_TRUE(filter.wants(TailKind::kCircuitChanged));
  EXPECT_FALSE(filter.wants(TailKind::kEventAccepted));
  EXPECT_FALSE(filter.wants(TailKind::kDeliveryEnded));
}

TEST(TailFilter, AnEndpointNarrowsEveryKind) {
  const TailFilter filter = read("endpoint=" + text::id_text(kEndpoint)).value();
  EXPECT_TRUE(filter.wants(owner(kEndpoint, 7)));
  EXPECT_FALSE(filter.wants(owner(kOther, 7)));
  EXPECT_TRUE(filter.wants({delivery(kOther, 6), delivery(kEndpoint, 7)}));
  EXPECT_FALSE(filter.wants({delivery(kOther, 6)}));
  EXPECT_FALSE(filter.wants(std::vector<model::Delivery>()));
  EXPECT_TRUE(filter.wants_circuit_of(kEndpoint));
  EXPECT_FALSE(filter.wants_circuit_of(kOther));
}

TEST(TailFilter, ASubscriptionSeesTheCircuitOfItsEndpoint) {
  TailFilter filter = read("subscription=" + text::id_text(base::SubscriptionId{7})).value();
  filter.subscription_endpoint = kEndpoint;
  EXPECT_TRUE(filter.wants(owner(kEndpoint, 7)));
  EXPECT_FALSE(filter.wants(owner(kEndpoint, 8)));
  EXPECT_TRUE(filter.wants_circuit_of(kEndpoint));
  EXPECT_FALSE(filter.wants_circuit_of(kOther));
}

TEST(TailFilter, ADeliveryMustFitBothEndpointAndSubscription) {
  TailFilter filter;
  filter.endpoint = kEndpoint;
  filter.subscription = base::SubscriptionId{7};
  EXPECT_TRUE(filter.wants(owner(kEndpoint, 7)));
  EXPECT_FALSE(filter.wants(owner(kOther, 7)));
  EXPECT_FALSE(filter.wants(owner(kEndpoint, 8)));
  EXPECT_FALSE(filter.wants({delivery(kEndpoint, 8), delivery(kOther, 7)}));
}

TEST(TailFilter, MistakesAreNamed) {
  const Problem kind = read("show=atempt_ended").error();
  EXPECT_EQ(kind.status, 400);
  EXPECT_EQ(kind.field, "show");
  EXPECT_EQ(kind.hint, "did you mean \"attempt_ended\"?");
  EXPECT_EQ(read("endpoint=sub_0000000000000001").error().field, "endpoint");
  EXPECT_EQ(read("subscription=7").error().field, "subscription");
  EXPECT_EQ(read("endpiont=x").error().hint, "did you mean \"endpoint\"?");
}

}  // namespace
}  // namespace api
