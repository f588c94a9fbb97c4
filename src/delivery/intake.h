// Accepts an event: one atomic publish with a delivery for each subscription that wants it. The
// producer hears "accepted" only when that is durable; only then does the dispatcher hear of it.
//
// Which subscriptions want the event is decided before; they come in as a list. What one turn of
// the loop brings goes to the store together, at the turn's end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "base/turn_end.h"
#include "core/retry_schedule.h"
#include "delivery/dispatcher.h"
#include "model/section.h"
#include "store/store.h"

namespace delivery {

struct MatchedSubscription {
  base::SubscriptionId id;
  base::EndpointId endpoint;
  bool ordered = false;
  bool has_own_queue = false;
  const core::RetrySchedule* schedule = nullptr;  // if it has one of its own
};

struct NewEvent {
  base::EventId id;
  base::TenantId tenant;
  base::ObjectId object;
  bool operational = false;
  std::shared_ptr<const model::Event> content = {};  // none in simulations
  std::string unique_key = {};                       // see model::Publish
  uint64_t digest = 0;
};

// An event with those who want it.
struct Publication {
  NewEvent event;
  std::vector<MatchedSubscription> matches;
};

// What became of an accepted event.
struct Receipt {
  base::Sequence sequence = 0;
  bool is_repeat = false;  // it had been accepted before
  bool is_other = false;   // no: that was another event under the same unique key, and it stands
  std::shared_ptr<const model::Event> content;  // as it came in now
  std::vector<model::Delivery> deliveries;
};

class Intake {
 public:
  using Accepted = base::Result<Receipt>;
  using Done = std::function<void(Accepted)>;
  using AllDone = std::function<void(std::vector<Accepted>)>;
  // Hears of each event that was stored, once, before the dispatcher does.
  using Stored =
      std::function<void(base::Sequence, const std::shared_ptr<const model::Event>& content,
                         const std::vector<model::Delivery>& deliveries)>;

  struct Options {
    uint32_t publishes_max = 32'768;             // on their way to the store; more are refused
    uint32_t deliveries_per_event_max = 10'000;  // more are refused, and nothing is stored
    base::Duration retry_delay = base::Duration::seconds(1);
  };

  struct Parts {
    const core::RetrySchedule& schedule;  // of subscriptions without one of their own
    base::Scheduler& scheduler;
    store::Store& store;
    Dispatcher& dispatcher;
    Stored stored = {};  // may be empty
  };

  Intake(const Options& options, Parts parts);

  // kInvalid: too many subscriptions match. kUnavailable: the producer may try again. In both cases
  // nothing is stored.
  void publish(NewEvent event, const std::vector<MatchedSubscription>& matches, Done done);
  // The same for many, which share a commit but not their fate: one answer for each, in order.
  void publish_all(std::vector<Publication> publications, AllDone done);

  // Sends an event once more to a subscription: a new delivery with a schedule from now, in the
  // retry lane. `id` names the redelivery itself.
  void redeliver(base::EventId id, NewEvent event, const MatchedSubscription& match, Done done);

  // The publish of an operational event, to be committed with what it tells of.
  model::Publish make_publish(NewEvent event,
                              const std::vector<MatchedSubscription>& matches) const;

  bool is_quiet() const { return publishes_ == 0; }
  // How many more publishes are taken now.
  uint32_t room() const { return options_.publishes_max - publishes_; }

 private:
  // Events that came together: their answers gather here, and are given together.
  struct Group {
    std::vector<Accepted> answers;
    size_t missing = 0;
    AllDone done;
  };
  struct Pending {
    model::Publish publish;
    Done done = {};                     // of an event that came alone
    std::shared_ptr<Group> group = {};  // of one among many,
    size_t place = 0;                   // with its place in there
    bool may_be_stored = false;         // an earlier submission ended without a clear answer
  };

  model::Delivery make_delivery(const NewEvent& event, const MatchedSubscription& match,
                                base::Instant now) const;
  base::Result<void> check(size_t matches) const;
  void take(Pending pending);
  void submit();
  void submitted(std::vector<Pending>& pending, store::BatchResult& result);
  void tell_stored(const std::vector<Pending>& pending, const store::BatchResult& result);
  void settle(Pending& pending, store::PublishResult& result);
  static void answer(Group& group, size_t place, Accepted accepted);
  static void answer(Pending& pending, Accepted accepted);

  Options options_;
  const core::RetrySchedule& schedule_;
  base::Scheduler& scheduler_;
  store::Store& store_;
  Dispatcher& dispatcher_;
  Stored stored_;
  uint32_t publishes_ = 0;
  std::vector<Pending> waiting_;  // for the end of this turn
  base::TurnEnd submit_;
};

}  // namespace delivery
