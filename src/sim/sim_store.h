// The simulator's store: the contract of store/store.h in memory, with faults on demand.
//
// One commit turn at a time takes everything that waits, like a committer thread: a turn becomes
// durable at one moment and is reported at a later one; a crash may fall between. In an unclear
// turn part of it became durable and nobody knows which: until those sections have been submitted
// again, all others are refused, as with a database that was closed on an I/O error and opened
// again. Documents carry nothing to know them by: those that became durable in an unclear turn show
// as soon as all before them is settled, and whoever submits them again sees it by the revisions.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/prng.h"
#include "base/scheduler.h"
#include "sim/sim_tables.h"
#include "store/store.h"

namespace sim {

struct StoreFaults {
  base::Duration commit_delay_min;  // from the beginning of a turn until it is durable
  base::Duration commit_delay_max;
  base::Duration report_delay_max;  // from durable to reported
  base::Duration read_delay_max;
  uint32_t failed_per_mille = 0;   // of the turns: nothing is stored
  uint32_t unclear_per_mille = 0;  // of the turns: a part is stored, all are reported unknown
};

struct StoreHooks {
  // In order, before the tables change; also those that a crash reveals.
  std::function<void(const model::Section&)> committed;
  // Durable, if not reported; the deliveries with their ids.
  std::function<void(const model::Publish&, const std::vector<model::Delivery>&)> published;
  std::function<void(base::ShardId)> fenced;  // a section was refused because the shard was taken
  std::function<void()> trouble;
};

class SimStore : public store::Store {
 public:
  struct Options {
    uint64_t seed = 0;
    bool keep_ended = true;  // false: forget deliveries that ended, for runs with millions
  };

  SimStore(Options options, StoreHooks hooks);

  // The process whose calls follow; its scheduler runs the completions.
  void attach(base::Scheduler& scheduler) { scheduler_ = &scheduler; }
  // The process died: what is not durable is gone, what is durable and unreported stays.
  virtual void crash();
  void set_faults(const StoreFaults& faults) { faults_ = faults; }

  // Another process took the shard: sections of the present owner are refused from now on. False if
  // that is not possible now, because the fate of some sections is open.
  virtual bool take_shard(base::ShardId shard);

  void commit(base::Instant at, store::Batch batch,
              std::function<void(store::BatchResult)> done) override;
  void load_due(const model::DueQuery& query, std::function<void(model::DuePage)> done) override;
  void load_expired(const model::ExpiryQuery& query,
                    std::function<void(model::ExpiryPage)> done) override;
  void load_delivery(base::DeliveryId delivery,
                     std::function<void(std::optional<store::FoundDelivery>)> done) override;
  void load_event(base::Sequence sequence,
                  std::function<void(std::optional<model::Event>)> done) override;
  void load_documents(const model::DocumentQuery& query,
                      std::function<void(model::DocumentPage)> done) override;
  void acquire(std::vector<base::ShardId> shards,
               std::function<void(std::vector<model::ShardSnapshot>)> done) override;
  base::Instant last_committed() const override { return last_committed_; }

  const Tables& tables() const { return tables_; }
  bool is_idle() const { return waiting_.empty() && turn_.empty() && limbo_.empty(); }

 private:
  struct Waiting {
    base::Instant at;
    store::Batch batch;
    std::function<void(store::BatchResult)> done;
  };
  // A piece that may be durable although nobody was told so.
  struct Limbo {
    base::Instant at;
    std::optional<model::Publish> publish;
    std::optional<model::Section> section;
    std::vector<model::DocumentChange> documents = {};
  };

  void begin_turn();
  void decide_turn();
  template <class Report>
  void end_turn(const Report& report);
  store::BatchResult apply(const Waiting& waiting);
  store::PublishResult apply_publish(const model::Publish& publish);
  store::PublishResult store_publish(const model::Publish& publish);
  store::SectionResult apply_section(const model::Section& section);
  store::SectionResult store_section(const model::Section& section);
  store::Status apply_documents(const std::vector<model::DocumentChange>& changes);
  void put_prefix_into_limbo();
  std::vector<Limbo> pieces_of_turn() const;
  bool opens_limbo(const model::Section& section);
  void settle_first();
  void show_documents();
  void trouble() const;
  base::Duration draw(base::Duration low, base::Duration high);

  Options options_;
  StoreHooks hooks_;
  StoreFaults faults_;
  base::Prng prng_;
  base::Scheduler* scheduler_ = nullptr;

  Tables tables_;
  base::Instant last_committed_;
  std::array<uint64_t, base::kShardCount> epochs_{};
  // Of the last section, per shard: for whoever submits it again.
  std::array<store::SectionResult, base::kShardCount> applied_{};

  std::vector<Waiting> waiting_;
  std::vector<Waiting> turn_;
  bool turn_is_durable_ = false;
  std::deque<Limbo> limbo_;  // in the order in which they became durable
};

}  // namespace sim
