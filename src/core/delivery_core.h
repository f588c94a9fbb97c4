// The heart: a deterministic state machine. It is handed the time and one input, and answers with
// effects. Everything Postrider decides about deliveries it decides here: schedule, circuit, lanes,
// probes, ramps, limits, order, dropping.
//
// It never reads a clock, never does I/O, and the same inputs give the same effects, always. One
// instance per reactor; it owns many of the fixed shards. Not for use by more than one thread.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "base/time.h"
#include "core/census.h"
#include "core/effects.h"
#include "core/inputs.h"
#include "core/options.h"
#include "core/state.h"

namespace core {

// What is in memory, for tests of its bounds.
struct Footprint {
  uint32_t endpoints = 0;
  uint32_t endpoints_with_work = 0;
  uint32_t attempts = 0;
  size_t timers = 0;
  size_t memory_only_max = 0;  // first attempts without a record, at the worst endpoint
  size_t window_size_max = 0;  // the fullest window of an endpoint that lets out
  size_t held_window_max = 0;  // the fullest window of one that does not
  Census census;               // counted one by one
};

class DeliveryCore {
 public:
  // The options must have been checked: see check_options().
  explicit DeliveryCore(const Options& options);

  DeliveryCore(const DeliveryCore&) = delete;
  DeliveryCore& operator=(const DeliveryCore&) = delete;

  // Appends to `effects`. `now` must not go backwards.
  void step(base::Instant now, const Input& input, Effects& effects);

  // When to call step(Wake) if nothing else happens before.
  std::optional<base::Instant> next_deadline() const;

  // Whether a new first attempt should get its due-index record in the commit that publishes it,
  // because it would get one at once anyway. A hint: the core copes with either.
  bool wants_record(base::EndpointId endpoint, model::QueueId queue) const;

  // What an endpoint looks like now; nothing if it has had no delivery yet.
  const model::EndpointRecord* endpoint(base::EndpointId endpoint) const;

  // An attempt of it is under way, or its outcome is not durable yet.
  bool is_in_flight(base::EndpointId endpoint, base::DeliveryId delivery) const;

  const Unfinished& unfinished() const;
  const CircuitCounts& circuits() const;
  // When the waiting delivery that comes first falls, or fell, due; nothing if none waits.
  std::optional<base::Instant> earliest_waiting() const;
  Footprint footprint() const;

 private:
  void wake();
  void subscription_changed(const model::SubscriptionSettings& settings);
  void subscription_removed(base::SubscriptionId subscription);

  State state_;
};

// Refuses options that make no sense, with a sentence that names the setting.
base::Result<RetrySchedule> check_options(const Options& options);

}  // namespace core
