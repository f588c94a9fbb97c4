// Endpoints as the API shows them: the state with its reason, and the counters beside the numbers
// at which the circuit's rules fire.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/backend.h"
#include "model/endpoint.h"
#include "store/queries.h"
#include "text/json_writer.h"

namespace api {

// An endpoint from all who know something of it.
struct EndpointView {
  std::string url;
  model::EndpointRecord record;  // as the core has it, which is newer than what is stored
  std::optional<base::Instant> earliest_due;
  std::optional<model::Transition> last_change;
};

EndpointView make_view(const Backend& backend, const registry::EndpointUrl& endpoint,
                       const std::optional<store::EndpointFacts>& facts);

// When a disabled endpoint is probed next; nothing if it is not, or nothing waits for it.
std::optional<base::Instant> next_probe_at(const EndpointView& view);

// The members of an object that is open: what lists show, and all the rest.
void write_summary(text::JsonWriter& json, const EndpointView& view,
                   const core::CircuitOptions& options);
void write_counters(text::JsonWriter& json, const model::EndpointRecord& record,
                    const core::CircuitOptions& options, base::Instant now);
void write_transition(text::JsonWriter& json, const model::Transition& transition,
                      const core::CircuitOptions& options);
void write_history(text::JsonWriter& json, const store::HistoryPage& page,
                   const core::CircuitOptions& options);

// The cursor of a history as text, and back; nothing if it is none.
std::string history_cursor(const std::string& bytes);
std::optional<std::string> parse_history_cursor(std::string_view text);

}  // namespace api
