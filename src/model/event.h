// What a producer published: stored once, whatever the number of its deliveries.
#pragma once

#include <string>

#include "base/ids.h"

namespace model {

struct Event {
  base::TenantId tenant;
  std::string id;  // what receivers see; empty: the server names it after its sequence
  std::string type;
  std::string object_code;
  std::string object_id;
  std::string payload;             // the bytes to be sent
  std::string unmatched_reason;    // why there is no delivery, if there is none
  base::DeliveryId redelivery_of;  // a redelivery carries the content itself: retention may have
                                   // removed the first one's
  std::string traceparent = {};    // of its producer, see text/trace_context.h; may be empty
};

}  // namespace model
