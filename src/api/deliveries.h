// /v1/deliveries: lists of them, one in full, and what can be done with one.
#pragma once

#include "api/call.h"

namespace api {

void list_deliveries(Backend& backend, Call& call);
void show_delivery(Backend& backend, Call& call);
// Sends the event of a delivery that has ended once more, as a new delivery.
void redeliver(Backend& backend, Call& call);
// Ends one that has not, unless an attempt under way succeeds.
void cancel_delivery(Backend& backend, Call& call);

}  // namespace api
