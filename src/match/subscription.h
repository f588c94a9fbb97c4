// What the index must know of a subscription and of an event. The words are spec words; what else a
// subscription has (credentials, limits) is no concern of matching.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "match/filter.h"
#include "match/type_pattern.h"

namespace match {

struct Subscription {
  base::TenantId tenant;
  base::SubscriptionId id;
  base::EndpointId endpoint;
  std::string url;
  std::string type_pattern{kEveryType};  // from parse_type_pattern()
  std::string object_code;               // empty: of every code
  std::string object_id;                 // empty: of every object
  Filter filter;
  bool ordered = false;
  bool has_own_queue = false;
};

// One published event; the views and states are the caller's, for the time of a call.
struct EventFacts {
  base::TenantId tenant;
  std::string_view type;  // from parse_event_type()
  std::string_view object_code;
  std::string_view object_id;
  States states;
};

// One subscription that wants the event.
struct Match {
  base::SubscriptionId id;
  base::EndpointId endpoint;
  bool ordered = false;
  bool has_own_queue = false;

  bool operator==(const Match&) const = default;
};

}  // namespace match
