#include "store/queries.h"

#include <utility>

#include "store/engine.h"

namespace store {

Queries::Queries(Engine& engine, base::Scheduler& scheduler)
    : engine_(engine), scheduler_(scheduler) {}

// The engine answers on its own threads; the caller hears of it on its scheduler.
template <class Answer>
Queries::Done<Answer> Queries::on_scheduler(Done<Answer> done) {
  return [&scheduler = scheduler_, done = std::move(done)](base::Result<Answer> answer) {
    scheduler.post([done, answer = std::move(answer)]() mutable { done(std::move(answer)); });
  };
}

void Queries::find_event(const EventQuery& query, Done<std::optional<EventStory>> done) {
  engine_.find_event(query, on_scheduler<std::optional<EventStory>>(std::move(done)));
}

void Queries::find_delivery(base::TenantId tenant, base::DeliveryId delivery,
                            Done<std::optional<EventStory>> done) {
  engine_.find_delivery(tenant, delivery, on_scheduler<std::optional<EventStory>>(std::move(done)));
}

void Queries::list_deliveries(const DeliveryQuery& query, Done<DeliveryPage> done) {
  engine_.list_deliveries(
      query, [&scheduler = scheduler_] { return scheduler.now(); },
      on_scheduler<DeliveryPage>(std::move(done)));
}

void Queries::read_endpoints(std::vector<base::EndpointId> endpoints,
                             Done<std::vector<std::optional<EndpointFacts>>> done) {
  engine_.read_endpoints(std::move(endpoints),
                         on_scheduler<std::vector<std::optional<EndpointFacts>>>(std::move(done)));
}

void Queries::read_history(const HistoryQuery& query, Done<HistoryPage> done) {
  engine_.read_history(query, on_scheduler<HistoryPage>(std::move(done)));
}

void Queries::read_stats(const StatsQuery& query, Done<Stats> done) {
  engine_.read_stats(query, on_scheduler<Stats>(std::move(done)));
}

}  // namespace store
