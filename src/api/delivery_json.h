// Deliveries and their attempts as the API shows them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/backend.h"
#include "base/ids.h"
#include "base/time.h"
#include "core/retry_schedule.h"
#include "model/delivery.h"
#include "model/event.h"
#include "store/queries.h"
#include "text/json_writer.h"

namespace api {

std::string_view name_of(model::EndState end);  // "delivered"
// "delivered", "dropped", "cancelled", and for what is unfinished "waiting", "held" or "in_flight".
std::string_view state_word(const Backend& backend, const model::Delivery& delivery,
                            std::optional<model::EndState> end);

// What its producer calls the event, or what the server calls it.
std::string event_name(std::string_view id, base::Sequence sequence);

// When an unfinished delivery will be tried, if each of those attempts fails at once. `now` is when
// the first that is not in the past can be made.
std::vector<base::Instant> coming_attempts(const core::RetrySchedule& schedule,
                                           const model::Delivery& delivery, base::Instant now);

// One object of a list.
void write_listed(text::JsonWriter& json, const Backend& backend,
                  const store::ListedDelivery& listed);
// One object with all attempts; `event` tells what it belongs to.
void write_delivery(text::JsonWriter& json, const Backend& backend, const store::EventStory& event,
                    const store::DeliveryStory& story);
void write_attempt(text::JsonWriter& json, const model::Attempt& attempt,
                   std::optional<base::Instant> next_due);

}  // namespace api
