// Says aloud everything that a data directory holds, through the same seam that the server reads
// by; the rig compares it with what was acknowledged. It judges nothing itself.
//
//   event <sequence> <number or -> <digest> sound|wrong
//   delivery <id> waiting|blocked|delivered|dropped|cancelled|missing <failed attempts>
//   document <key> <revision> <digest>
//   shard <id> <low water>   endpoint <id> <wins> <losses>   tail <id>   due <id>
//   success <delivery> <attempt> <status>     of the tail
//   totals <created> <delivered> <dropped> <cancelled> <expired> <events>
//   audit ok|<what is wrong>
//   inspected
//   refused <why>                             in place of all that follows
// `tail` are the unfinished deliveries of the shards' snapshots, `due` those of the due index: an
// unfinished delivery that is in neither (and not blocked by one that is) would never be sent.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "base/ids.h"
#include "model/section.h"
#include "store/engine.h"
#include "store/store.h"
#include "tests/crash/loop.h"

namespace crash {

struct InspectionOptions {
  base::Sequence newest = 0;  // sequences up to this one are looked up, and a few more
  bool drain = false;         // ends everything that can be reached, before it looks
};

class Inspection {
 public:
  Inspection(const InspectionOptions& options, store::Engine& engine, store::Store& store,
             Loop& loop);

  void start();

 private:
  struct Shard {
    uint64_t epoch = 0;
    uint64_t next_number = 1;
    std::map<base::DeliveryId, model::Delivery> reachable;
  };

  void acquired(const std::vector<model::ShardSnapshot>& snapshots);
  void say_snapshot(const model::ShardSnapshot& snapshot);
  void read_queues(const model::EndpointSnapshot& endpoint);
  void read_queue(const model::DueQuery& query);
  void drain();
  void drained(const store::BatchResult& result);

  void read_contents();
  void read_event(base::Sequence sequence);
  void read_delivery(base::DeliveryId id);
  void read_documents();
  void say_audit();
  void say_totals();
  // A store that cannot read what it holds says so in its health, and lets questions wait.
  void watch_health();

  // Runs `next` when every question asked so far has been answered.
  void then(std::function<void()> next);
  void ask() { open_questions_ += 1; }
  void answered();

  InspectionOptions options_;
  store::Engine& engine_;
  store::Store& store_;
  Loop& loop_;
  std::map<base::ShardId, Shard> shards_;
  uint64_t open_questions_ = 0;
  std::function<void()> next_;
};

}  // namespace crash
