// What a live tail tells: a kind, and a JSON object on one line. Each is bounded, whatever the
// event: payloads, responses and lists of deliveries are for those who ask for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/time.h"
#include "core/options.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/event.h"

namespace api {

enum class TailKind : uint8_t {
  kEventAccepted,
  kAttemptEnded,
  kDeliveryEnded,
  kCircuitChanged,
};
inline constexpr std::array kTailKinds = {TailKind::kEventAccepted, TailKind::kAttemptEnded,
                                          TailKind::kDeliveryEnded, TailKind::kCircuitChanged};

// Stable names: "event_accepted".
std::string_view name_of(TailKind kind);

std::string accepted_text(base::Sequence sequence, const model::Event& event, size_t deliveries,
                          base::Instant at);
// `event`: null if it is not in memory any more; then its id and type are null too.
std::string attempt_text(const model::DeliveryChange& change, const model::Event* event);
std::string ended_text(const model::DeliveryChange& change, const model::Event* event,
                       base::Instant at);
std::string circuit_text(const model::Transition& transition, const core::CircuitOptions& options);

}  // namespace api
