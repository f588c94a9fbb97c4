#include "server/collectors.h"

#include <algorithm>

namespace server {

using observe::DeliveryState;
using observe::EndpointState;
using observe::Metric;
using observe::Metrics;

void collect_store(Metrics& metrics, const store::Engine& engine) {
  metrics.set(Metric::kStoreAvailable, engine.health().is_available ? 1 : 0);
}

void collect_account(Metrics& metrics, const api::Account& account) {
  const store::Totals& totals = account.totals;
  const auto set = [&metrics](DeliveryState state, uint64_t count) {
    metrics.set(Metric::kDeliveries, state, static_cast<double>(count));
  };
  set(DeliveryState::kDelivered, totals.delivered);
  set(DeliveryState::kDropped, totals.dropped);
  set(DeliveryState::kCancelled, totals.cancelled);
  set(DeliveryState::kExpired, totals.expired);
  set(DeliveryState::kWaiting, account.unfinished.waiting);
  set(DeliveryState::kHeld, account.unfinished.held);
  set(DeliveryState::kInFlight, account.unfinished.in_flight);
  metrics.set_count(Metric::kDeliveriesCreated, totals.created);
  metrics.set(Metric::kStoredEvents, static_cast<double>(totals.events));
  metrics.set(Metric::kAttemptsInFlight, static_cast<double>(account.unfinished.in_flight));
}

void collect_deliveries(Metrics& metrics, const delivery::Dispatcher& dispatcher,
                        base::Instant now) {
  const base::Instant earliest = dispatcher.core().earliest_waiting().value_or(now);
  const int64_t late_ms = std::max<int64_t>((now - earliest).count_ms(), 0);
  metrics.set(Metric::kOldestWaitingAge, static_cast<double>(late_ms) / 1000);

  const core::CircuitCounts circuits = dispatcher.core().circuits();
  const auto set = [&metrics](EndpointState state, uint64_t count) {
    metrics.set(Metric::kEndpoints, state, static_cast<double>(count));
  };
  set(EndpointState::kActive, circuits.active);
  set(EndpointState::kDisabled, circuits.disabled);
  set(EndpointState::kFrozen, circuits.frozen);
  set(EndpointState::kPaused, circuits.paused);
}

void collect_connections(Metrics& metrics, const http::Server& inbound,
                         const delivery::OutboundThread& outbound) {
  metrics.set(Metric::kHttpConnections, static_cast<double>(inbound.connections()));
  metrics.set_count(Metric::kHttpRefusedConnections, inbound.counts().refused_connections);
  metrics.set(Metric::kOutboundConnections, static_cast<double>(outbound.open_connections()));
}

void collect_streams(Metrics& metrics, const api::Tail& tail) {
  metrics.set(Metric::kStreams, static_cast<double>(tail.streams()));
  metrics.set_count(Metric::kStreamLeftOut, tail.left_out());
}

}  // namespace server
