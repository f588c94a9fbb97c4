// What a change of an endpoint's circuit brings about: history, publications, and, when it begins
// or ceases to let deliveries out, a rearrangement of its queues.
#pragma once

#include "core/state.h"

namespace core {

struct ChangeContext {
  bool lets_out_before = false;
  bool is_silent = false;  // caused by a delivery of a postrider.* event, which must not cause more
};

void circuit_changed(State& state, uint32_t endpoint, const model::Transition& transition,
                     ChangeContext context);

void publish_dropped(State& state, const model::Delivery& delivery);

}  // namespace core
