// Is the server alive, is it ready, what does it do: for load balancers and people.
#pragma once

#include "api/call.h"

namespace api {

// 200 as long as the process answers at all.
void show_liveness(Backend& backend, Call& call);
// 200 if events are taken now, else 503 with the reason.
void show_readiness(Backend& backend, Call& call);
// Every number for a monitoring system, in the words of Prometheus.
void show_metrics(Backend& backend, Call& call);
// Whether all deliveries are accounted for, in numbers.
void show_conservation(Backend& backend, Call& call);

}  // namespace api
