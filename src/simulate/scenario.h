// What is simulated: a workload, a receiver, and the settings of the core. Plain values with the
// defaults of the command; simulate/option_table.h says how they are written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/options.h"
#include "text/quantity.h"

namespace simulate {

using text::deliveries_text;
using text::duration_text;
using text::event_time;
using text::grouped;
using text::parse_duration;
using text::parse_integer;
using text::parse_rate;
using text::Precision;
using text::Rate;
using text::rate_text;
using text::spoken;

// Longer than any run.
inline constexpr base::Duration kForever = base::Duration::hours(24 * 100'000);

struct Scenario {
  // Each event goes to every endpoint, by a subscription of its own; all endpoints behave alike.
  Rate rate;
  base::Duration publish_for = base::Duration::hours(72);  // events are published before this
  uint64_t events_max = 0;                                 // 0: no limit
  uint32_t endpoints = 1;

  // The receiver answers 200, or within the outage `status`, always after `latency`.
  base::Duration down_from;
  base::Duration down;
  base::Duration latency = base::Duration::ms(20);
  uint16_t status = 503;
  base::Duration retry_after;  // sent with `status` if above 0

  std::vector<base::Duration> enable_at;  // a person enables all endpoints
  base::Duration until = kForever;        // kForever: until every delivery has ended
  uint64_t seed = 0;                      // jitter depends on it, nothing else

  core::Options core;
};

// Refuses what the core would refuse, in the words of the command line.
base::Result<bool> check(const Scenario& scenario);

inline bool is_down(const Scenario& scenario, base::Duration at) {
  return at >= scenario.down_from && at - scenario.down_from < scenario.down;
}

// How many events the workload has.
uint64_t event_count(const Scenario& scenario);

// When retries fall due after queueing, and when a held delivery is given up.
std::vector<base::Duration> slots(const Scenario& scenario);
base::Duration last_slot(const Scenario& scenario);

// Two short lines of English: what is sent, and what the receiver does.
std::string workload_sentence(const Scenario& scenario);
std::string receiver_sentence(const Scenario& scenario);

}  // namespace simulate
