#include "api/endpoint_json.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "api/circuit_words.h"
#include "core/circuit.h"
#include "model/circuit_names.h"
#include "text/id_text.h"
#include "text/quantity.h"
#include "text/time_text.h"

namespace api {
namespace {

using base::Instant;
using model::CircuitState;

// Three numbers of a key: time, commit, index.
constexpr size_t kHistoryCursorBytes = 8 + 8 + 4;

void write_time(text::JsonWriter& json, std::string_view name, Instant at) {
  if (at.is_set()) {
    json.field(name, text::time_text(at));
  } else {
    json.key(name).null();
  }
}

void write_rate(text::JsonWriter& json, const model::RateCount& count,
                const core::CircuitOptions& options) {
  json.field("attempts", count.attempts)
      .field("failures", count.failures)
      .field("disables_above_attempts", options.rate_attempts_min)
      .field("disables_above_percent", options.rate_percent);
}

}  // namespace

EndpointView make_view(const Backend& backend, const registry::EndpointUrl& endpoint,
                       const std::optional<store::EndpointFacts>& facts) {
  EndpointView view{.url = endpoint.url, .record = {}, .earliest_due = {}, .last_change = {}};
  if (facts) {
    view.record = facts->stored.record;
    view.earliest_due = facts->earliest_due;
    view.last_change = facts->last_change;
  }
  if (const auto* const newer = backend.dispatcher.core().endpoint(endpoint.id)) {
    view.record = *newer;
  }
  view.record.id = endpoint.id;
  return view;
}

std::optional<Instant> next_probe_at(const EndpointView& view) {
  const bool is_probed = view.record.state == CircuitState::kDisabled && !view.record.paused;
  if (!is_probed || !view.earliest_due) {
    return std::nullopt;
  }
  return std::max({view.record.probe_from, view.record.not_before, *view.earliest_due});
}

void write_summary(text::JsonWriter& json, const EndpointView& view,
                   const core::CircuitOptions& options) {
  const model::EndpointRecord& record = view.record;
  json.field("id", text::id_text(record.id))
      .field("url", view.url)
      .field("state", model::name_of(record.state))
      .field("paused", record.paused)
      .field("reason", explain(record, view.last_change, options))
      .field("unfinished", record.unfinished)
      .field("consecutive_failures", record.consecutive_failures);
  write_time(json, "last_success_at", record.last_success_at);
  write_time(json, "next_probe_at", next_probe_at(view).value_or(Instant()));
}

void write_counters(text::JsonWriter& json, const model::EndpointRecord& record,
                    const core::CircuitOptions& options, Instant now) {
  json.key("counters").begin_object();
  json.key("consecutive_failures")
      .begin_object()
      .field("count", record.consecutive_failures)
      .field("disables_at", options.consecutive_to_disable)
      .field("freezes_above", options.consecutive_to_freeze)
      .field("freezes_after_silence_of", text::duration_text(options.silence_to_freeze))
      .field("freezes_at", options.consecutive_limit)
      .end_object();
  json.key("since_enable").begin_object();
  write_rate(json, record.since_enable, options);
  json.end_object();
  json.key("window").begin_object().field("hours", options.window_hours);
  write_rate(json, core::count_window(record.window, options.window_hours, now), options);
  json.end_object();
  json.key("lifetime")
      .begin_object()
      .field("successes", record.successes)
      .field("failures", record.failures)
      .end_object();
  json.end_object();
  write_time(json, "first_attempt_at", record.first_attempt_at);
  write_time(json, "enabled_at", record.enabled_at);
  write_time(json, "disabled_at", record.disabled_at);
  write_time(json, "frozen_at", record.frozen_at);
  write_time(json, "retry_after_until", record.not_before > now ? record.not_before : Instant());
}

void write_transition(text::JsonWriter& json, const model::Transition& transition,
                      const core::CircuitOptions& options) {
  write_time(json, "at", transition.at);
  json.field("from", model::name_of(transition.from))
      .field("to", model::name_of(transition.to))
      .field("reason", model::name_of(transition.reason))
      .field("message", describe(transition, options))
      .field("attempts", transition.attempts)
      .field("failures", transition.failures)
      .field("consecutive_failures", transition.consecutive_failures);
  write_time(json, "last_success_at", transition.last_success);
}

void write_history(text::JsonWriter& json, const store::HistoryPage& page,
                   const core::CircuitOptions& options) {
  json.key("history").begin_array();
  for (const model::Transition& transition : page.transitions) {
    json.begin_object();
    write_transition(json, transition, options);
    json.end_object();
  }
  json.end_array().key("history_cursor");
  if (page.next.empty()) {
    json.null();
  } else {
    json.value(history_cursor(page.next));
  }
}

std::string history_cursor(const std::string& bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char byte : bytes) {
    text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  }
  return text;
}

std::optional<std::string> parse_history_cursor(std::string_view text) {
  if (text.size() != kHistoryCursorBytes * 2) {
    return std::nullopt;
  }
  std::string bytes;
  for (size_t at = 0; at < text.size(); at += 2) {
    const char* const from = text.data() + at;
    uint8_t byte = 0;
    const auto [end, error] = std::from_chars(from, from + 2, byte, 16);
    if (error != std::errc() || end != from + 2) {
      return std::nullopt;
    }
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

}  // namespace api
