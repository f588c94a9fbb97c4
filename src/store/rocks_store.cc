#include "store/rocks_store.h"

#include <utility>

namespace store {

RocksStore::RocksStore(Engine& engine, base::Scheduler& scheduler)
    : engine_(engine), scheduler_(scheduler), told_(std::make_shared<Totals>()) {}

// The engine answers on its own threads, once; the caller hears of it on its scheduler. What the
// caller has bound to its answer is moved there, not copied, and ends there.
template <class Answer>
std::function<void(Answer)> RocksStore::on_scheduler(std::function<void(Answer)> done) {
  return [&scheduler = scheduler_, done = std::move(done)](Answer answer) mutable {
    scheduler.post([done = std::move(done), answer = std::move(answer)]() mutable {
      done(std::move(answer));
    });
  };
}

void RocksStore::commit(base::Instant at, Batch batch, std::function<void(BatchResult)> done) {
  engine_.commit_counted(at, std::move(batch),
                         [&scheduler = scheduler_, told = told_, done = std::move(done)](
                             BatchResult result, const std::optional<Totals>& totals) mutable {
                           scheduler.post([told = std::move(told), totals, done = std::move(done),
                                           result = std::move(result)]() mutable {
                             if (totals) {
                               *told = *totals;
                             }
                             done(std::move(result));
                           });
                         });
}

void RocksStore::load_due(const model::DueQuery& query, std::function<void(model::DuePage)> done) {
  engine_.load_due(query, on_scheduler(std::move(done)));
}

void RocksStore::load_expired(const model::ExpiryQuery& query,
                              std::function<void(model::ExpiryPage)> done) {
  engine_.load_expired(query, on_scheduler(std::move(done)));
}

void RocksStore::load_delivery(base::DeliveryId delivery,
                               std::function<void(std::optional<FoundDelivery>)> done) {
  engine_.load_delivery(delivery, on_scheduler(std::move(done)));
}

void RocksStore::load_event(base::Sequence sequence,
                            std::function<void(std::optional<model::Event>)> done) {
  engine_.load_event(sequence, on_scheduler(std::move(done)));
}

void RocksStore::load_documents(const model::DocumentQuery& query,
                                std::function<void(model::DocumentPage)> done) {
  engine_.load_documents(query, on_scheduler(std::move(done)));
}

void RocksStore::acquire(std::vector<base::ShardId> shards,
                         std::function<void(std::vector<model::ShardSnapshot>)> done) {
  engine_.acquire(std::move(shards),
                  [&engine = engine_, &scheduler = scheduler_, told = told_,
                   done = std::move(done)](std::vector<model::ShardSnapshot> found) mutable {
                    // Nothing is committed while this is said.
                    scheduler.post([told = std::move(told), totals = engine.standing().totals,
                                    done = std::move(done), found = std::move(found)]() mutable {
                      *told = totals;
                      done(std::move(found));
                    });
                  });
}

base::Instant RocksStore::last_committed() const { return engine_.last_committed(); }

}  // namespace store
