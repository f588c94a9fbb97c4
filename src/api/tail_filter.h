// Which messages a reader of the live tail wants: those of an endpoint, of a subscription, of some
// kinds; without any of these, all of its tenant's.
#pragma once

#include <bitset>
#include <cstddef>
#include <expected>
#include <optional>
#include <vector>

#include "api/problem.h"
#include "api/tail_message.h"
#include "base/ids.h"
#include "http/request.h"
#include "model/delivery.h"

namespace api {

struct TailFilter {
  std::bitset<kTailKinds.size()> kinds = std::bitset<kTailKinds.size()>().set();
  std::optional<base::EndpointId> endpoint;
  std::optional<base::SubscriptionId> subscription;
  // The subscription's, when the stream began: whose circuit its reader sees.
  base::EndpointId subscription_endpoint;

  bool wants(TailKind kind) const { return kinds.test(static_cast<size_t>(kind)); }
  bool wants(const model::DeliveryOwner& owner) const;
  // An event, by its deliveries.
  bool wants(const std::vector<model::Delivery>& deliveries) const;
  bool wants_circuit_of(base::EndpointId id) const;
};

// From the parameters `endpoint`, `subscription` and `show`, a list of kinds.
std::expected<TailFilter, Problem> read_tail_filter(const http::Request& request);

}  // namespace api
