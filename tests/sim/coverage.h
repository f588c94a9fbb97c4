// What a run has met, so that a swarm that never meets a rare case fails instead of passing.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/endpoint.h"
#include "tests/sim/checks/history.h"

namespace swarm {

// name, what it means
#define SWARM_FEATURE_LIST(X)                                          \
  X(DisabledByRate, "active to disabled: failure rate")                \
  X(DisabledByWindow, "active to disabled: failure rate in window")    \
  X(DisabledByConsecutive, "active to disabled: consecutive failures") \
  X(FrozenBySilenceFromActive, "active to frozen: silence")            \
  X(FrozenByLimitFromActive, "active to frozen: consecutive limit")    \
  X(FrozenBySilence, "disabled to frozen: silence")                    \
  X(FrozenByLimit, "disabled to frozen: consecutive limit")            \
  X(EnabledByProbe, "disabled to active: probe succeeded")             \
  X(EnabledByHand, "disabled to active: by hand")                      \
  X(Unfrozen, "frozen to active: by hand")                             \
  X(Paused, "paused")                                                  \
  X(Resumed, "resumed")                                                \
  X(ReceiverStatus, "receiver: error status")                          \
  X(ReceiverRedirect, "receiver: redirect")                            \
  X(ReceiverTimeout, "receiver: timeout")                              \
  X(ReceiverReset, "receiver: reset")                                  \
  X(ReplyLost, "receiver: applied but reply lost")                     \
  X(RetryAfter, "receiver: Retry-After honoured")                      \
  X(OwnFailure, "attempt not started for a reason of our own")         \
  X(Crash, "crash")                                                    \
  X(CrashWithHeldWork, "crash with held work")                         \
  X(ClockForward, "wall clock stepped forward over a crash")           \
  X(ClockBackward, "wall clock stepped backward over a crash")         \
  X(FencedSection, "section fenced")                                   \
  X(StoreTrouble, "store: failed, unknown or slow")                    \
  X(CrashFree, "run without a crash")                                  \
  X(Spill, "first attempt spilled")                                    \
  X(Ramp, "held delivery drained")                                     \
  X(Ordering, "delivery blocked by an earlier one of its object")      \
  X(DroppedHeld, "held delivery dropped at its last slot")             \
  X(DroppedTried, "delivery dropped after its last attempt")           \
  X(Cancelled, "delivery cancelled")                                   \
  X(Redelivered, "delivery redelivered")                               \
  X(Operational, "operational event delivered")

enum class Feature : uint8_t {
#define SWARM_FEATURE_NAME(name, what) k##name,
  SWARM_FEATURE_LIST(SWARM_FEATURE_NAME)
#undef SWARM_FEATURE_NAME
};

inline constexpr std::array kFeatures = {
#define SWARM_FEATURE_TEXT(name, what) std::string_view{what},
    SWARM_FEATURE_LIST(SWARM_FEATURE_TEXT)
#undef SWARM_FEATURE_TEXT
};

class Coverage {
 public:
  void observe(const checks::Observation& observation);
  void add(Feature feature) { seen_.set(static_cast<size_t>(feature)); }
  const std::bitset<kFeatures.size()>& seen() const { return seen_; }

 private:
  void observe(const checks::AttemptStarted& attempt);
  void observe(const checks::AttemptEnded& attempt);
  void observe(const model::Section& section);
  void observe(const model::Transition& transition);

  std::bitset<kFeatures.size()> seen_;
};

}  // namespace swarm
