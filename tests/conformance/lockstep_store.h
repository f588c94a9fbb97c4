// The simulator's store with another implementation beside it: whatever the simulator's store makes
// durable is committed to the other one as well, at the same moment, and whatever it answers must
// be what the other one answers. So a simulation of the whole server drives both.
//
// Faults are the simulator's: a turn that fails or stays unclear there is kept from the other store
// until it is settled; a crash restarts the other store, too.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/prng.h"
#include "sim/sim_store.h"
#include "tests/conformance/harness.h"

namespace conformance {

class LockstepStore : public sim::SimStore {
 public:
  LockstepStore(const Options& options, sim::StoreHooks hooks, Harness& other);

  void crash() override;
  bool take_shard(base::ShardId shard) override;

  void commit(base::Instant at, store::Batch batch,
              std::function<void(store::BatchResult)> done) override;
  void load_due(const model::DueQuery& query, std::function<void(model::DuePage)> done) override;
  void load_expired(const model::ExpiryQuery& query,
                    std::function<void(model::ExpiryPage)> done) override;
  void load_delivery(base::DeliveryId delivery,
                     std::function<void(std::optional<store::FoundDelivery>)> done) override;
  void acquire(std::vector<base::ShardId> shards,
               std::function<void(std::vector<model::ShardSnapshot>)> done) override;

  // Everything there is, read in pages from both.
  void compare_everything();

  uint64_t comparisons() const { return comparisons_; }

 private:
  // What a crash showed to be durable, in order.
  struct Revealed {
    std::optional<model::Publish> publish;
    std::optional<model::Section> section;
    std::vector<model::Delivery> deliveries;  // of the publish
  };

  sim::StoreHooks watched(sim::StoreHooks hooks);
  template <class Answer, class Call>
  Answer ask_other(const Call& call);
  void compare(const std::string& ours, const std::string& theirs);
  void mirror(base::Instant at, const store::Batch& batch, const store::BatchResult& ours);
  bool is_repeat(const model::Section& section);
  void mirror(const Revealed& piece);
  void mirror_low_water();

  void compare_some();
  void compare_delivery(base::DeliveryId id);
  void compare_due(const model::DueQuery& query);
  void compare_expired(const model::ExpiryQuery& query);
  void compare_content(base::Sequence sequence);

  Harness& other_;
  base::Prng prng_;
  uint64_t comparisons_ = 0;
  uint64_t differences_ = 0;
  uint64_t commits_ = 0;
  base::Sequence low_water_ = 0;                                    // of the other store
  std::map<base::ShardId, std::pair<uint64_t, uint64_t>> written_;  // last epoch and number
  std::set<base::EventId> open_;                                    // submitted, and nobody knows
  std::vector<model::Delivery> known_;                              // as they were reported
  bool is_crashing_ = false;
  std::vector<Revealed> revealed_;
};

}  // namespace conformance
