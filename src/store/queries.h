// What people ask of the store: the story of an event or a delivery, lists of deliveries, what an
// endpoint looks like, hourly figures. Conservation totals are Engine::standing().
//
// Not part of the Store seam: only the embedded store answers these so far. All answers show what
// has been reported as committed, and nothing else. They come from threads of their own, so that
// nobody's question delays a delivery, and every question is bounded: by a number of records and,
// where it walks through the data, by time. What did not fit is told, with where to go on.
//
// Nothing is tried again for a person: an answer is an error when the data could not be read
// (kIo, kCorrupt), or too many questions are waiting, or the disk is full (kUnavailable).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "base/time.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/event.h"
#include "store/records.h"

namespace store {

class Engine;

// --- One event, one delivery ---

// By the place in the order of commits, or, if that is 0, by the key that makes it unique.
struct EventQuery {
  base::TenantId tenant;
  base::Sequence sequence = 0;
  std::string unique_key;
  // Which of its deliveries are told in full.
  uint32_t first_delivery = 0;
  uint32_t deliveries_max = 100;
};

// All that is stored about a delivery. Whether it is in flight only the core knows, and whether it
// waits or is held depends on its endpoint's circuit.
struct DeliveryStory {
  model::Delivery delivery;             // as it waits, if it has a record; as it was queued, if not
  std::vector<OutcomeRecord> outcomes;  // in order; an end without an attempt is the last
  std::optional<model::EndState> end;   // none: it is unfinished
  base::Instant ended_at;
};

struct EventStory {
  base::Sequence sequence = 0;
  EventHead head;
  model::Event content;
  std::vector<DeliveryStory> deliveries;  // those that were asked for
};

// --- Lists of deliveries ---

enum class DeliveryState : uint8_t { kUnfinished, kDelivered, kDropped, kCancelled };

struct DeliveryFilter {
  base::TenantId tenant;
  std::optional<DeliveryState> state = {};
  std::optional<base::SubscriptionId> subscription = {};
  std::optional<base::EndpointId> endpoint = {};
  // Which event types are wanted; called on a thread of the store. Empty: all.
  std::function<bool(std::string_view)> wants_type = {};
  base::Instant from = {};                       // queued then or later
  base::Instant until = base::Instant::never();  // queued before
};

// What one page may cost.
struct PageBudget {
  uint32_t records = 50'000;
  base::Duration time = base::Duration::ms(50);
};

struct DeliveryQuery {
  DeliveryFilter filter;
  std::optional<base::DeliveryId> before = {};  // where the page before ended
  uint32_t limit = 20;
  PageBudget budget = {};
};

struct ListedDelivery {
  model::Delivery delivery;  // see DeliveryStory
  std::string event_id;      // what its producer calls the event; may be empty
  std::string event_type;
  base::DeliveryId redelivery_of;
  uint32_t attempts = 0;               // that have ended
  std::optional<OutcomeRecord> last;   // without the attempt's details
  std::optional<model::EndState> end;  // none: it is unfinished
};

struct DeliveryPage {
  std::vector<ListedDelivery> deliveries;  // the newest first
  // Where to go on. Nothing: everything was looked at.
  std::optional<base::DeliveryId> next;
  // Every delivery that was queued at this time or later has been looked at (as far as the filter
  // asks for it); what is older may be on the next page.
  base::Instant searched_to;
};

// --- Endpoints ---

struct EndpointFacts {
  StoredEndpoint stored;
  // Of the deliveries that wait in the due index the one that is, or was, due first.
  std::optional<base::Instant> earliest_due;
  // What led to the circuit's present state; pausing and resuming are beside it.
  std::optional<model::Transition> last_change;
};

// "The newest `limit` transitions of this endpoint before `before`."
struct HistoryQuery {
  base::EndpointId endpoint;
  std::string before;  // a HistoryPage's `next`; empty: from the newest
  uint32_t limit = 20;
};

struct HistoryPage {
  std::vector<model::Transition> transitions;  // the newest first
  std::string next;                            // bytes; empty: there are no more
};

// --- Hourly figures ---

struct StatsQuery {
  base::TenantId tenant;
  // At most one of the two; none: the whole tenant.
  std::optional<base::EndpointId> endpoint = {};
  std::optional<base::SubscriptionId> subscription = {};
  // Whose newest counts, those that are in no row yet, belong to it: the endpoint, or those that
  // the subscription, or the tenant, sends to.
  std::vector<base::EndpointId> endpoints;
  int64_t from_hour = 0;   // since the epoch
  int64_t until_hour = 0;  // not included
  uint32_t records_max = 50'000;
};

struct HourlyCounts {
  int64_t hour = 0;
  Counts counts;
};

struct Stats {
  std::vector<HourlyCounts> hours;  // in order; those without counts are left out
  bool is_complete = true;          // false: more rows than could be read
};

// --- Asking ---

// One per scheduler, like RocksStore: answers run there. now() and post() of the scheduler must be
// callable from any thread.
class Queries {
 public:
  template <class Answer>
  using Done = std::function<void(base::Result<Answer>)>;

  Queries(Engine& engine, base::Scheduler& scheduler);

  // Nothing if there is no such event, retention has removed it, or it is another tenant's.
  void find_event(const EventQuery& query, Done<std::optional<EventStory>> done);
  // The event with this one delivery; nothing likewise.
  void find_delivery(base::TenantId tenant, base::DeliveryId delivery,
                     Done<std::optional<EventStory>> done);
  void list_deliveries(const DeliveryQuery& query, Done<DeliveryPage> done);

  // One for each id, in the same order; nothing for an endpoint that has no record yet, which is
  // as good as new.
  void read_endpoints(std::vector<base::EndpointId> endpoints,
                      Done<std::vector<std::optional<EndpointFacts>>> done);
  void read_history(const HistoryQuery& query, Done<HistoryPage> done);

  void read_stats(const StatsQuery& query, Done<Stats> done);

 private:
  template <class Answer>
  Done<Answer> on_scheduler(Done<Answer> done);

  Engine& engine_;
  base::Scheduler& scheduler_;
};

}  // namespace store
