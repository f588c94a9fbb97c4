// Which delivery of an endpoint goes next. Pure questions about a backlog; nothing changes here.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "core/endpoint.h"
#include "core/state.h"

namespace core {

enum class Source : uint8_t { kNone, kMemory, kFresh, kDrain, kRetry };

struct Pick {
  Source source = Source::kNone;
  size_t queue = 0;  // index into Backlog::queues
  model::DueKey key;

  explicit operator bool() const { return source != Source::kNone; }
};

// The oldest first attempt that was never held, over all queues whose limits allow a start.
Pick pick_fresh(const State& state, const Endpoint& endpoint, const Backlog& backlog);

// The earliest due of everything else, over all queues whose limits allow a start; of what drains
// only as many as the ramp allows.
Pick pick_retry(const State& state, const Endpoint& endpoint, const Backlog& backlog);

// The earliest due of all. Nothing if none is due, or while that is not known for sure.
Pick pick_probe(const State& state, const Backlog& backlog);

// The earliest time at which an idle backlog may have something to start, given that it has nothing
// now; never() if only an input can change that.
base::Instant next_pick(const State& state, const Endpoint& endpoint, const Backlog& backlog);

}  // namespace core
