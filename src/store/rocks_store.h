// The embedded store: RocksDB behind the Store seam. See store.h for the contract; committer.h for
// how a commit becomes durable; keys.h for what is where on disk.
//
// One Engine per data directory; one RocksStore per scheduler that uses it, so that completions run
// where the caller lives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "store/engine.h"
#include "store/store.h"

namespace store {

class RocksStore final : public Store {
 public:
  // The scheduler's post() must be callable from any thread.
  RocksStore(Engine& engine, base::Scheduler& scheduler);

  void commit(base::Instant at, Batch batch, std::function<void(BatchResult)> done) override;
  void load_due(const model::DueQuery& query, std::function<void(model::DuePage)> done) override;
  void load_expired(const model::ExpiryQuery& query,
                    std::function<void(model::ExpiryPage)> done) override;
  void load_delivery(base::DeliveryId delivery,
                     std::function<void(std::optional<FoundDelivery>)> done) override;
  void load_event(base::Sequence sequence,
                  std::function<void(std::optional<model::Event>)> done) override;
  void load_documents(const model::DocumentQuery& query,
                      std::function<void(model::DocumentPage)> done) override;
  void acquire(std::vector<base::ShardId> shards,
               std::function<void(std::vector<model::ShardSnapshot>)> done) override;
  base::Instant last_committed() const override;

  // What all deliveries add up to, as far as callers have been told: a commit that nobody has heard
  // of yet is left out. So it can be compared with what the callers have in hand, at any time. Only
  // if nobody else commits deliveries.
  const Totals& told() const { return *told_; }

 private:
  template <class Answer>
  std::function<void(Answer)> on_scheduler(std::function<void(Answer)> done);

  Engine& engine_;
  base::Scheduler& scheduler_;
  std::shared_ptr<Totals> told_;  // on the scheduler's thread; answers may come after our end
};

}  // namespace store
