// A real store on virtual time: each call waits for the real answer, which then arrives at once as
// far as the virtual clock can tell.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/scheduler.h"
#include "store/engine.h"
#include "store/store.h"

namespace store {

class LockstepStore final : public Store {
 public:
  LockstepStore(Engine& engine, base::Scheduler& scheduler)
      : engine_(engine), scheduler_(scheduler) {}

  void commit(base::Instant at, Batch batch, std::function<void(BatchResult)> done) override {
    answer<BatchResult>([&](auto reply) { engine_.commit(at, std::move(batch), std::move(reply)); },
                        done);
  }
  void load_due(const model::DueQuery& query, std::function<void(model::DuePage)> done) override {
    answer<model::DuePage>([&](auto reply) { engine_.load_due(query, std::move(reply)); }, done);
  }
  void load_expired(const model::ExpiryQuery& query,
                    std::function<void(model::ExpiryPage)> done) override {
    answer<model::ExpiryPage>([&](auto reply) { engine_.load_expired(query, std::move(reply)); },
                              done);
  }
  void load_delivery(base::DeliveryId delivery,
                     std::function<void(std::optional<FoundDelivery>)> done) override {
    answer<std::optional<FoundDelivery>>(
        [&](auto reply) { engine_.load_delivery(delivery, std::move(reply)); }, done);
  }
  void load_event(base::Sequence sequence,
                  std::function<void(std::optional<model::Event>)> done) override {
    answer<std::optional<model::Event>>(
        [&](auto reply) { engine_.load_event(sequence, std::move(reply)); }, done);
  }
  void load_documents(const model::DocumentQuery& query,
                      std::function<void(model::DocumentPage)> done) override {
    answer<model::DocumentPage>(
        [&](auto reply) { engine_.load_documents(query, std::move(reply)); }, done);
  }
  void acquire(std::vector<base::ShardId> shards,
               std::function<void(std::vector<model::ShardSnapshot>)> done) override {
    answer<std::vector<model::ShardSnapshot>>(
        [&](auto reply) { engine_.acquire(std::move(shards), std::move(reply)); }, done);
  }
  base::Instant last_committed() const override { return engine_.last_committed(); }

 private:
  template <class Answer, class Ask>
  void answer(const Ask& ask, const std::function<void(Answer)>& done) {
    auto promise = std::make_shared<std::promise<Answer>>();
    std::future<Answer> future = promise->get_future();
    ask(std::function<void(Answer)>(
        [promise](Answer real) { promise->set_value(std::move(real)); }));
    scheduler_.post([done, real = future.get()] { done(real); });
  }

  Engine& engine_;
  base::Scheduler& scheduler_;
};

}  // namespace store
