// What the core has to tell about its own work (postrider.endpoint.disabled and the like), as an
// event for those who subscribed to it.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/ids.h"
#include "delivery/intake.h"
#include "match/json.h"
#include "match/subscription_index.h"
#include "model/section.h"
#include "registry/subscriptions.h"

namespace server {

std::string_view type_of(model::OperationalType type);

class OperationalEvents {
 public:
  struct Parts {
    const match::SubscriptionIndex& index;
    const registry::Subscriptions& subscriptions;
    const delivery::Intake& intake;
    std::function<base::EventId()> next_event_id;
  };

  explicit OperationalEvents(Parts parts) : parts_(std::move(parts)) {}

  // The publish, to be committed with what it tells of; nothing if nobody wants it.
  std::optional<model::Publish> expand(const model::OperationalEvent& event);

 private:
  Parts parts_;
  match::JsonParser parser_;
};

}  // namespace server
