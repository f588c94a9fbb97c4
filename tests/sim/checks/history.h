// What can be seen of a run from outside: the acknowledged publishes, the attempts, what was handed
// to the store and what of it became durable, crashes, commands. Checkers read nothing else, and
// include nothing of the code they check.
//
// Observations come in the order in which things happened. `at` is scheduling time; several things
// may happen in the same millisecond, then their order in the history is what counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/delivery.h"
#include "model/outcome.h"
#include "model/retry_policy.h"
#include "model/section.h"
#include "model/subscription.h"

namespace checks {

// The settings of the run, in the words of the specification.
struct Settings {
  model::RetryPolicy retry;
  base::Duration retry_after_max = base::Duration::hours(1);

  uint32_t rate_attempts_min = 100;        // the rate rule needs more attempts than this
  uint32_t rate_percent = 70;              // and more failures than this share; 100: off
  int window_hours = 24;                   // 0: off
  uint32_t consecutive_to_disable = 2000;  // 0: off
  uint32_t consecutive_to_freeze = 2000;   // more than this, and silence
  base::Duration silence_to_freeze = base::Duration::hours(72);
  uint32_t consecutive_limit = 50'000;
  base::Duration probe_interval = base::Duration::minutes(10);

  uint32_t in_flight_max = 8192;
  uint32_t endpoint_in_flight_max = 10;
  uint32_t memory_only_max = 64;
  base::Duration memory_only_time = base::Duration::seconds(2);
  uint32_t window_max = 32;
  base::Duration attempt_deadline = base::Duration::seconds(5);
  base::Duration own_failure_delay = base::Duration::seconds(1);
  base::Duration restart_grace = base::Duration::minutes(10);
};

// A publish was acknowledged (or its operational event was committed): these deliveries are
// durable.
struct Queued {
  std::vector<model::Delivery> deliveries;
};

struct AttemptStarted {
  model::Delivery delivery;  // as it was when it was taken out of its queue
  uint32_t number = 1;
  model::Lane lane = model::Lane::kFresh;
  bool is_probe = false;
};

// The transport reported an outcome. kNotStarted: this was no attempt.
struct AttemptEnded {
  base::DeliveryId delivery;
  base::EndpointId endpoint;
  model::Outcome outcome;
};

// The receiver acted on the request, whatever became of its answer.
struct ReceiverApplied {
  base::DeliveryId delivery;
};

// A section was handed to the store for the first time: this is when its content was decided. A
// section comes from one step: at most one attempt and at most one transition are in it.
struct Submitted {
  model::Section section;
};

// A section that was submitted became durable. Per shard in the order of numbers.
struct Committed {
  base::ShardId shard = 0;
  uint64_t epoch = 0;
  uint64_t number = 0;
};

// The store refused a section, or could not say whether it is durable, or is slow: delays until
// this passes are nobody's fault.
struct StoreTrouble {};

// The process died: attempts in flight are gone, sections that are not durable are gone.
struct Crashed {};
// It runs again and owns all shards. `at` may be much later than the crash.
struct Restarted {};

// Another owner took the shard: everything of it in this process is gone, as in a crash.
struct ShardLost {
  base::ShardId shard = 0;
};
struct ShardRegained {
  base::ShardId shard = 0;
};

enum class CommandKind : uint8_t { kEnable, kPause, kResume, kCancel, kRemoveSubscription };
enum class CommandAnswer : uint8_t { kDone, kUnchanged, kTooLate, kNotOwner };

struct CommandAsked {
  uint64_t command = 0;
  CommandKind kind = CommandKind::kEnable;
  base::EndpointId endpoint;
  base::DeliveryId delivery;          // of kCancel
  base::SubscriptionId subscription;  // of kRemoveSubscription, which is never answered
};

struct CommandAnswered {
  uint64_t command = 0;
  CommandAnswer answer = CommandAnswer::kDone;
};

struct SubscriptionSet {
  model::SubscriptionSettings settings;
};

// From here on receivers are up, the store is healthy, nothing new is published by producers, and
// every disabled or frozen endpoint has been enabled, every paused one resumed.
struct FaultsEnded {};

// What the process says of itself, now and then; and what a recount of the store says.
struct Counts {
  uint64_t waiting = 0;
  uint64_t held = 0;
  uint64_t in_flight = 0;
  uint64_t stored_created = 0;
  uint64_t stored_delivered = 0;
  uint64_t stored_dropped = 0;
  uint64_t stored_cancelled = 0;
  uint64_t memory_only_max = 0;  // first attempts without a record, at the worst endpoint
  uint64_t window_size_max = 0;  // due deliveries in memory in one window of one queue
  uint64_t held_window_max = 0;  // the same for endpoints that let nothing out
  uint64_t attempts_in_memory = 0;
  bool is_quiet = false;  // nothing is on its way to or from the store
};

// The run is over; everything must have ended.
struct RunEnded {};

using Event =
    std::variant<Queued, AttemptStarted, AttemptEnded, ReceiverApplied, Submitted, Committed,
                 StoreTrouble, Crashed, Restarted, ShardLost, ShardRegained, CommandAsked,
                 CommandAnswered, SubscriptionSet, FaultsEnded, Counts, RunEnded>;

struct Observation {
  base::Instant at;
  Event event;
};

// A rule was broken: which, when, and a sentence with the numbers.
struct Violation {
  std::string rule;
  base::Instant at;
  std::string what;
};

}  // namespace checks
