// One life of the server on virtual time: the production intake, dispatcher and core, unchanged, on
// the simulator's scheduler, store and transport. Destroying it is a crash.
#pragma once

#include <functional>

#include "base/time.h"
#include "core/delivery_core.h"
#include "delivery/dispatcher.h"
#include "delivery/intake.h"
#include "sim/sim_store.h"
#include "sim/sim_transport.h"
#include "sim/timeline.h"

namespace sim {

class Process {
 public:
  struct World {
    Timeline& timeline;
    SimStore& store;
    SimTransport::Script receivers;
    SimTransport::Hooks hooks;
    // Subscriptions that want an operational event of this tenant.
    std::function<std::vector<delivery::MatchedSubscription>(const model::OperationalEvent&)>
        match_operational;
    std::function<base::EventId()> new_event_id;
    delivery::Dispatcher::Watch watch = {};    // may be empty
    delivery::Dispatcher::Watch durable = {};  // may be empty
  };

  Process(const core::Options& options, World world, base::Instant wall_clock);

  // Recovers all shards from the store.
  void start(std::function<void()> ready);

  SimScheduler& scheduler() { return scheduler_; }
  delivery::Dispatcher& dispatcher() { return dispatcher_; }
  delivery::Intake& intake() { return intake_; }
  const core::DeliveryCore& core() const { return dispatcher_.core(); }

 private:
  std::optional<model::Publish> expand(const model::OperationalEvent& event);

  World world_;
  core::RetrySchedule schedule_;
  SimScheduler scheduler_;
  SimTransport transport_;
  delivery::Dispatcher dispatcher_;
  delivery::Intake intake_;
};

}  // namespace sim
