// What monitoring asks for and other parts know: read when somebody looks.
#pragma once

#include "api/account.h"
#include "api/tail.h"
#include "delivery/dispatcher.h"
#include "delivery/outbound_thread.h"
#include "http/server.h"
#include "observe/metrics.h"
#include "store/engine.h"

namespace server {

void collect_store(observe::Metrics& metrics, const store::Engine& engine);
void collect_account(observe::Metrics& metrics, const api::Account& account);
void collect_deliveries(observe::Metrics& metrics, const delivery::Dispatcher& dispatcher,
                        base::Instant now);
void collect_connections(observe::Metrics& metrics, const http::Server& inbound,
                         const delivery::OutboundThread& outbound);
void collect_streams(observe::Metrics& metrics, const api::Tail& tail);

}  // namespace server
