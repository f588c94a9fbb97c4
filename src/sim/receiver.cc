#include "sim/receiver.h"

#include "base/check.h"

namespace sim {
namespace {

using base::Duration;
using model::OutcomeKind;

Reply respond(Duration delay, uint16_t status) {
  return {.delay = delay,
          .outcome = {.kind = OutcomeKind::kResponse, .status = status},
          .is_applied = status < 300};
}

Reply fail(Duration delay, OutcomeKind kind, bool is_applied = false) {
  return {.delay = delay, .outcome = {.kind = kind}, .is_applied = is_applied};
}

}  // namespace

Reply Receiver::reply(Duration elapsed) {
  CHECK(!phases_.empty());
  const Behaviour* current = &phases_.front().behaviour;
  for (const Phase& phase : phases_) {
    if (phase.from <= elapsed) {
      current = &phase.behaviour;
    }
  }
  const Behaviour& is = *current;
  switch (is.mood) {
    case Mood::kUp:
    case Mood::kSlow:
      return respond(is.latency, 200);
    case Mood::kStatus:
      return respond(is.latency, is.status);
    case Mood::kFlapping: {
      const bool is_up = (elapsed.count_ms() / is.period.count_ms()) % 2 == 0;
      return respond(is.latency, is_up ? 200 : is.status);
    }
    case Mood::kHang:
      return fail(Duration::hours(1), OutcomeKind::kTimeout);
    case Mood::kReset:
      return fail(is.latency, OutcomeKind::kReset);
    case Mood::kThrottling: {
      Reply reply = respond(is.latency, is.status);
      reply.outcome.retry_after = is.retry_after;
      return reply;
    }
    case Mood::kReplyLost:
      return fail(is.latency, OutcomeKind::kReset, true);
    case Mood::kSometimes:
      return respond(is.latency, prng_.chance(is.percent) ? is.status : 200);
    case Mood::kNoDescriptor:
      return prng_.chance(is.percent) ? fail(Duration::ms(1), OutcomeKind::kNotStarted)
                                      : respond(is.latency, 200);
  }
  return respond(is.latency, 200);
}

}  // namespace sim
