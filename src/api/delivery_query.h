// What a list of deliveries is asked for by: state, subscription, endpoint, type, from, until,
// limit, cursor.
#pragma once

#include <expected>
#include <string_view>

#include "api/problem.h"
#include "base/ids.h"
#include "http/request.h"
#include "store/queries.h"

namespace api {

struct DeliveryListing {
  store::DeliveryQuery query;
  // One of the states of what is unfinished, which only the core can tell apart; else empty.
  std::string_view only_state;
};

std::expected<DeliveryListing, Problem> read_delivery_listing(const http::Request& request,
                                                              base::TenantId tenant);

}  // namespace api
