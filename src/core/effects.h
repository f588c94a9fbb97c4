// The vocabulary of the core: what comes out. The shell carries effects out to the letter and
// reports back by inputs; it decides nothing.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "core/inputs.h"
#include "model/delivery.h"
#include "model/section.h"

namespace core {

// Send this delivery now. Answered by AttemptFinished.
struct StartAttempt {
  AttemptToken token;
  model::Delivery delivery;
  uint32_t number = 1;
  model::Lane lane = model::Lane::kFresh;
  bool is_probe = false;
  base::Duration deadline;
};

// Nobody is interested in this attempt any more.
struct AbandonAttempt {
  AttemptToken token;
};

// Make this durable. Answered by SectionDone. The events are to be matched and put into the section
// as publishes. Sections of a shard are submitted in the order of their numbers; after one that was
// not committed, nothing of the shard is submitted until Resubmit.
struct Commit {
  model::Section section;
  std::vector<model::OperationalEvent> events;
};

// Submit everything of the shard that is not durable yet once more, in order.
struct Resubmit {
  base::ShardId shard = 0;
};

// Answered by DueLoaded.
struct LoadDue {
  LoadId load = LoadId::kNone;
  model::DueQuery query;
};

// Answered by ExpiryLoaded.
struct LoadExpired {
  LoadId load = LoadId::kNone;
  model::ExpiryQuery query;
};

// Answered by DeliveryLoaded.
struct LoadDelivery {
  base::DeliveryId delivery;
  base::EndpointId endpoint;
};

enum class CommandResult : uint8_t {
  kDone,       // and durable
  kUnchanged,  // there was nothing to do
  kTooLate,    // the delivery has ended, or ended otherwise meanwhile
  kNotOwner,   // the shard is not, or no longer, ours
  kBusy,       // too many commands wait: try again
};

struct CommandDone {
  CommandId command = CommandId::kNone;
  CommandResult result = CommandResult::kDone;
};

// Recovery need not look below this sequence any more.
struct AdvanceLowWater {
  base::Sequence sequence = 0;
};

using Effect = std::variant<StartAttempt, AbandonAttempt, Commit, Resubmit, LoadDue, LoadExpired,
                            LoadDelivery, CommandDone, AdvanceLowWater>;
using Effects = std::vector<Effect>;

}  // namespace core
