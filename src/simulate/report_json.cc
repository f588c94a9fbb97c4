#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "simulate/report.h"

namespace simulate {
namespace {

using base::Duration;

// Writes objects and lists without spaces; commas come by themselves.
class JsonText {
 public:
  void open(char bracket) {
    separate();
    text_ += bracket;
    is_first_ = true;
  }
  void open(std::string_view name, char bracket) {
    key(name);
    open(bracket);
  }
  void close(char bracket) {
    text_ += bracket;
    is_first_ = false;
  }

  void number(std::string_view name, uint64_t value) { raw(name, fmt::format("{}", value)); }
  void time(std::string_view name, Duration at) { raw(name, fmt::format("{}", at.count_ms())); }
  void time(std::string_view name, const std::optional<Duration>& at) {
    raw(name, at ? fmt::format("{}", at->count_ms()) : "null");
  }
  void boolean(std::string_view name, bool value) { raw(name, value ? "true" : "false"); }
  // All strings of the output are words of ours, and need no escaping.
  void word(std::string_view name, std::string_view value) {
    raw(name, fmt::format("\"{}\"", value));
  }
  void raw(std::string_view name, std::string_view value) {
    key(name);
    element(value);
  }
  void element(std::string_view value) {
    separate();
    text_ += value;
  }

  std::string take() { return std::move(text_) + "\n"; }

 private:
  void key(std::string_view name) {
    separate();
    fmt::format_to(std::back_inserter(text_), "\"{}\":", name);
    is_first_ = true;
  }
  void separate() {
    if (!is_first_) {
      text_ += ',';
    }
    is_first_ = false;
  }

  std::string text_;
  bool is_first_ = true;
};

void write_slots(JsonText& json, const std::vector<Duration>& slots) {
  json.open("slots_ms", '[');
  for (const Duration slot : slots) {
    json.element(fmt::format("{}", slot.count_ms()));
  }
  json.close(']');
}

std::string_view anchor_name(const Scenario& scenario) {
  return scenario.core.retry.anchor == model::RetryAnchor::kQueued ? "queued" : "previous_attempt";
}

// Everything that decides the result, as it would be written on the command line.
void write_settings(JsonText& json, Request& request) {
  json.open("settings", '{');
  for (const OptionRow& row : option_rows()) {
    if (row.group == option_rows().front().group) {
      continue;
    }
    std::string name(row.name.substr(2));
    for (char& letter : name) {
      letter = letter == '-' ? '_' : letter;
    }
    const std::string value = value_text(row, request);
    json.raw(name, value.empty() ? "null" : fmt::format("\"{}\"", value));
  }
  json.close('}');
}

void write_transitions(JsonText& json, const Scenario& scenario, const Result& result) {
  json.open("transitions", '[');
  for (const Change& change : result.changes) {
    const model::Transition& transition = change.transition;
    json.open('{');
    json.time("at_ms", change.at);
    if (scenario.endpoints > 1) {
      json.number("endpoint", change.endpoint);
    }
    json.word("from", model::name_of(transition.from));
    json.word("to", model::name_of(transition.to));
    json.word("reason", model::name_of(transition.reason));
    json.number("attempts", transition.attempts);
    json.number("failures", transition.failures);
    json.number("consecutive_failures", transition.consecutive_failures);
    json.close('}');
  }
  json.close(']');
}

void write_deliveries(JsonText& json, const Result& result) {
  const Counts& counts = result.deliveries;
  json.open("deliveries", '{');
  json.number("created", counts.created);
  json.number("delivered", counts.delivered);
  json.number("waiting", counts.waiting);
  json.number("held", counts.held);
  json.number("in_flight", counts.in_flight);
  json.number("dropped", counts.dropped);
  json.number("cancelled", counts.cancelled);
  json.number("expired", counts.expired);
  json.close('}');
  json.boolean("conserved", result.is_conserved);
}

void write_drain(JsonText& json, const Scenario& scenario, const Drain& drain) {
  if (scenario.endpoints > 1) {
    json.number("endpoint", drain.endpoint);
  }
  json.time("started_ms", drain.started);
  json.time("ended_ms", drain.ended);
  json.time("duration_ms",
            drain.ended ? std::optional(*drain.ended - drain.started) : std::nullopt);
  json.number("deliveries", drain.deliveries);
  json.number("left", drain.left);
}

void write_drains(JsonText& json, const Scenario& scenario, const Result& result) {
  if (const Drain* const largest = largest_drain(result)) {
    json.open("drain", '{');
    write_drain(json, scenario, *largest);
    json.close('}');
  } else {
    json.raw("drain", "null");
  }
  json.open("drains", '[');
  for (const Drain& drain : result.drains) {
    json.open('{');
    write_drain(json, scenario, drain);
    json.close('}');
  }
  json.close(']');
}

void write_drops(JsonText& json, const Result& result) {
  json.open("dropped", '{');
  json.number("count", result.drops.count());
  json.number("after_last_attempt", result.drops.after_last_attempt);
  json.number("while_held", result.drops.while_held);
  json.time("first_ms", result.drops.first);
  json.time("last_ms", result.drops.last);
  json.close('}');
}

void write_backlog_sample(JsonText& json, Duration at, const Backlog& backlog) {
  json.open('{');
  json.time("at_ms", at);
  json.number("waiting", backlog.waiting);
  json.number("held", backlog.held);
  json.number("in_flight", backlog.in_flight);
  json.close('}');
}

void write_series(JsonText& json, const Result& result) {
  const Series& series = result.series;
  const Counts& end = result.deliveries;
  json.time("interval_ms", series.width());
  json.open("backlog", '[');
  for (size_t i = 0; i < series.intervals().size(); ++i) {
    write_backlog_sample(json, series.start_of(i), series.intervals()[i].at_start);
  }
  write_backlog_sample(json, result.ended_at,
                       {.waiting = end.waiting, .held = end.held, .in_flight = end.in_flight});
  json.close(']');
  json.open("backlog_peak", '{');
  json.time("at_ms", result.peak.at);
  json.number("unfinished", result.peak.unfinished);
  json.close('}');
  json.open("send_rate", '[');
  for (size_t i = 0; i < series.intervals().size(); ++i) {
    const Interval& interval = series.intervals()[i];
    json.open('{');
    json.time("at_ms", series.start_of(i));
    json.number("attempts", interval.attempts);
    json.number("failures", interval.failures);
    json.number("dropped", interval.dropped);
    json.close('}');
  }
  json.close(']');
}

void write_trace(JsonText& json, const Result& result) {
  json.open("attempt_times_ms", '[');
  for (const Start& start : result.starts) {
    json.element(fmt::format("{}", start.at.count_ms()));
  }
  json.close(']');
}

}  // namespace

std::string schedule_json(const Scenario& scenario) {
  JsonText json;
  json.open('{');
  json.word("anchor", anchor_name(scenario));
  write_slots(json, slots(scenario));
  json.close('}');
  return json.take();
}

std::string result_json(Request& request, const Result& result) {
  const Scenario& scenario = request.scenario;
  JsonText json;
  json.open('{');
  write_settings(json, request);
  write_slots(json, result.slots);
  json.time("ended_at_ms", result.ended_at);
  json.boolean("complete", result.is_complete);
  write_transitions(json, scenario, result);
  json.number("attempts", result.attempts);
  json.number("failures", result.failures);
  json.number("probes", result.probes);
  write_deliveries(json, result);
  write_drops(json, result);
  write_drains(json, scenario, result);
  write_series(json, result);
  if (request.trace) {
    write_trace(json, result);
  }
  json.close('}');
  return json.take();
}

}  // namespace simulate
