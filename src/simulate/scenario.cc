#include "simulate/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "core/delivery_core.h"
#include "model/delivery.h"

namespace simulate {
namespace {

using base::Duration;

// The core names its settings as a configuration file does.
constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kNames = {{
    {"retry.delays", "--delays"},
    {"retry.unit", "--unit"},
    {"retry.max_retries", "--max-retries"},
    {"retry.jitter", "--jitter"},
    {"retry.anchor = queued", "--anchor queued"},
    {"circuit.window", "--window"},
    {"circuit.rate_percent", "--rate-percent"},
    {"circuit.probe_interval", "--probe-interval"},
    {"lanes.in_flight_max", "--in-flight-all"},
    {"lanes.endpoint_in_flight_max", "--in-flight"},
}};

std::string in_words_of_the_command(std::string text) {
  for (const auto& [setting, option] : kNames) {
    for (size_t at = text.find(setting); at != std::string::npos; at = text.find(setting)) {
      text.replace(at, setting.size(), option);
    }
  }
  return text;
}

core::RetrySchedule schedule_of(const Scenario& scenario) {
  auto schedule = core::RetrySchedule::make(scenario.core.retry);
  CHECK(schedule.has_value());
  return *std::move(schedule);
}

}  // namespace

base::Result<bool> check(const Scenario& scenario) {
  if (const auto schedule = core::check_options(scenario.core); !schedule) {
    return base::fail(schedule.error().code, in_words_of_the_command(schedule.error().detail));
  }
  if (scenario.retry_after > Duration() && scenario.status != 429 && scenario.status != 503) {
    return base::fail(base::ErrorCode::kInvalid,
                      fmt::format("--retry-after: only --status 429 and 503 may carry it, not {}",
                                  scenario.status));
  }
  if (scenario.retry_after.count_ms() % 1000 != 0) {
    return base::fail(base::ErrorCode::kInvalid,
                      fmt::format("--retry-after: '{}' is not in whole seconds, as the header is. "
                                  "Example: --retry-after 2m",
                                  duration_text(scenario.retry_after)));
  }
  const uint64_t deliveries = event_count(scenario) * scenario.endpoints;
  constexpr uint64_t kDeliveriesMax = 200'000'000;
  if (deliveries > kDeliveriesMax) {
    return base::fail(
        base::ErrorCode::kInvalid,
        fmt::format("--rate and --for: {} deliveries are more than the {} that fit into a run; "
                    "use a lower --rate, a shorter --for or --events",
                    grouped(deliveries), grouped(kDeliveriesMax)));
  }
  return true;
}

uint64_t event_count(const Scenario& scenario) {
  // floor(k * period / count) < for  <=>  k * period < for * count
  const int64_t limit = scenario.publish_for.count_ms() * scenario.rate.count;
  const int64_t period = scenario.rate.period.count_ms();
  const auto count = static_cast<uint64_t>((limit + period - 1) / period);
  return scenario.events_max > 0 ? std::min(count, scenario.events_max) : count;
}

std::vector<Duration> slots(const Scenario& scenario) { return schedule_of(scenario).slots(); }

Duration last_slot(const Scenario& scenario) {
  model::Delivery delivery;
  delivery.queued_at = base::Instant::from_ms(0);
  return schedule_of(scenario).last_slot(delivery) - delivery.queued_at;
}

std::string workload_sentence(const Scenario& scenario) {
  const uint64_t events = event_count(scenario);
  const std::string to = scenario.endpoints == 1
                             ? "one endpoint"
                             : fmt::format("{} endpoints each", grouped(scenario.endpoints));
  if (events == 1) {
    return fmt::format("1 event to {}", to);
  }
  const Duration last = event_time(scenario.rate, events - 1);
  const bool is_cut = scenario.events_max > 0 && events == scenario.events_max;
  return fmt::format("{} events to {}, {} for {}", grouped(events), to, rate_text(scenario.rate),
                     is_cut ? spoken(last) : spoken(scenario.publish_for));
}

std::string receiver_sentence(const Scenario& scenario) {
  const std::string latency = spoken(scenario.latency);
  if (scenario.latency >= scenario.core.attempt_deadline) {
    return fmt::format("answers after {}, past the deadline of {}: every attempt times out",
                       latency, spoken(scenario.core.attempt_deadline));
  }
  if (scenario.down <= Duration()) {
    return fmt::format("always up, answers 200 after {}", latency);
  }
  const std::string header =
      scenario.retry_after > Duration()
          ? fmt::format(" with Retry-After: {}", scenario.retry_after.count_ms() / 1000)
          : "";
  if (scenario.down == kForever) {
    const bool from_start = scenario.down_from <= Duration();
    return fmt::format(
        "down {}, answers {}{} after {}",
        from_start ? "all the time" : fmt::format("from {} on", spoken(scenario.down_from)),
        scenario.status, header, latency);
  }
  return fmt::format("down from {} to {} (answers {}{}), else up; answers after {}",
                     spoken(scenario.down_from), spoken(scenario.down_from + scenario.down),
                     scenario.status, header, latency);
}

}  // namespace simulate
