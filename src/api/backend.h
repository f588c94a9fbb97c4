// What handlers work with. All of it lives on the loop's thread and longer than any call.
#pragma once

#include <cstdint>

#include "api/turn_queue.h"
#include "base/ids.h"
#include "delivery/dispatcher.h"
#include "delivery/intake.h"
#include "match/json.h"
#include "match/subscription_index.h"
#include "net/loop.h"
#include "observe/metrics.h"
#include "registry/registry.h"
#include "store/engine.h"
#include "store/queries.h"
#include "store/rocks_store.h"

namespace api {

struct Limits {
  size_t event_bytes_max = 1'048'576;
  size_t ndjson_lines_max = 10'000;
  size_t ndjson_bytes_max = size_t{16} * 1024 * 1024;
};

class Tail;
class TestSender;

struct Backend {
  net::Loop& loop;
  store::Engine& engine;
  store::RocksStore& store;
  registry::Registry& registry;
  const match::SubscriptionIndex& index;
  delivery::Intake& intake;
  delivery::Dispatcher& dispatcher;
  observe::Metrics& metrics;
  Tail& tail;
  const core::Options& core_options;
  const core::RetrySchedule& schedule;
  TestSender* tester = nullptr;  // null: no tests can be sent
  Limits limits = {};

  store::Queries queries{engine, loop};  // what people ask
  TurnQueue turns{loop, 4};              // for work that is too long for one
  match::JsonParser parser = {};         // for what is parsed and used within one call
  uint64_t event_id_seed = 0;            // different in every process
  uint64_t events_named = 0;
  bool is_draining = false;

  // Names an event for the store; never twice.
  base::EventId next_event_id();
};

}  // namespace api
