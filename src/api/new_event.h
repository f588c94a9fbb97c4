// An event as a producer wrote it, checked and matched: from bytes to what the intake takes.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "api/backend.h"
#include "api/problem.h"
#include "base/ids.h"
#include "delivery/intake.h"
#include "http/request.h"

namespace api {

struct EventSource {
  base::TenantId tenant;
  std::string_view idempotency_key = {};  // the header; empty if there is none
  std::string_view traceparent = {};      // as it is passed on; empty if there is none
};

// The header traceparent as it is passed on. Empty if there is none, or none that is sound: then
// the event belongs to no trace.
std::string traceparent_of(const http::Request& request);

// `text` is one JSON object: type and payload, and if wanted id, object_code and object_id.
std::expected<delivery::Publication, Problem> read_event(Backend& backend,
                                                         const EventSource& source,
                                                         std::string_view text);

// What the producer is told of an accepted event: the members of an object that is open.
void write_receipt(text::JsonWriter& json, const delivery::Receipt& receipt);

}  // namespace api
