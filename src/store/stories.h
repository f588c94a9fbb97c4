// Everything that is stored about one event or one delivery. Short reads: see queries.h.
#pragma once

#include <optional>

#include "base/ids.h"
#include "base/result.h"
#include "store/queries.h"
#include "store/tables.h"

namespace store {

base::Result<std::optional<EventStory>> read_event_story(const View& view, const EventQuery& query);
base::Result<std::optional<EventStory>> read_delivery_story(const View& view, base::TenantId tenant,
                                                            base::DeliveryId delivery);

}  // namespace store
