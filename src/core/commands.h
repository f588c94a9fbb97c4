// What people ask for: enable, pause, resume an endpoint; cancel a delivery. A command is answered
// when its effect is durable.
#pragma once

#include "core/state.h"

namespace core {

// The slot of this delivery's attempt, or kNoIndex if none is in flight.
uint32_t find_attempt(const State& state, const Endpoint& endpoint, base::DeliveryId delivery);

void endpoint_command(State& state, const EndpointCommand& command);
void cancel_delivery(State& state, const CancelDelivery& command);
void delivery_loaded(State& state, const DeliveryLoaded& loaded);

struct Ending {
  model::EndState end = model::EndState::kCancelled;
  CommandId command = CommandId::kNone;  // to be answered when it is durable
};

// Ends a delivery that is not in flight.
void end_unstarted(State& state, Endpoint& endpoint, const model::Delivery& delivery,
                   Ending ending);
void end_durable(State& state, const model::Delivery& delivery, CommandId command);

// If somebody waits for this delivery to be cancelled: does so, and returns true.
bool cancel_if_wanted(State& state, Endpoint& endpoint, const model::Delivery& delivery);

}  // namespace core
