// Keeps a store busy until it is killed: producers that publish one event after the other, and an
// owner of shards that ends, retries and parks what they published. Every acknowledgement is said
// aloud (report.h) the moment it is heard, and every section before it is submitted.
//
// The lines, in the order of their words:
//   ack publish <number> <sequence> <digest> [again]
//   try section <shard> <epoch> <section number> <delivery>=<state>...
//   e<endpoint>:<wins>:<losses>... ack section <shard> <epoch> <section number> try document <key>
//   <revision> <digest>        ack document <key> <revision> down publish|section|health <status>
//   <reason> up publish|section|health
// A state is delivered, dropped, cancelled, spilled (recorded without an attempt) or
// retry:<failed attempts>.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/prng.h"
#include "model/delivery.h"
#include "model/endpoint.h"
#include "model/section.h"
#include "store/engine.h"
#include "store/store.h"
#include "tests/crash/loop.h"

namespace crash {

// When an acknowledgement is given. All but the first are controls: they lie, and a drill that does
// not notice is worth nothing.
enum class Honesty : uint8_t {
  kAfterCommit,
  kBeforeCommit,   // as soon as it is submitted
  kDespiteFailure  // also when the store says that it failed
};

struct WorkloadOptions {
  uint64_t seed = 1;
  uint64_t first = 0;  // number of the first event
  uint64_t again = 0;  // events with keys from this number up to `first` are published once more
  uint32_t producers = 16;
  uint64_t acks = 0;  // ends after so many publishes; 0: never
  Honesty honesty = Honesty::kAfterCommit;
};

class Workload {
 public:
  Workload(const WorkloadOptions& options, store::Engine& engine, store::Store& store, Loop& loop);

  void start();

 private:
  struct Shard {
    uint64_t epoch = 0;
    uint64_t next_number = 1;
    bool is_busy = false;  // one section at a time
    std::deque<model::Delivery> ready;
  };
  struct Line {
    const char* name;
    bool is_down = false;
  };

  void take_shards();
  void take_over(const std::vector<model::ShardSnapshot>& snapshots);
  void take_over_queues(const model::EndpointSnapshot& endpoint);
  void take_delivery(const model::Delivery& delivery);

  void publish_next();
  void submit_publish(uint64_t number, const model::Publish& publish);
  void publish_done(uint64_t number, const model::Publish& publish,
                    const store::PublishResult& result);
  void publish_acknowledged(uint64_t number, const store::PublishResult& result);

  void feed(base::ShardId shard);
  model::Section make_section(base::ShardId shard);
  void decide(const model::Delivery& delivery, model::Section& section);
  model::Attempt attempt(const model::Delivery& delivery, bool succeeds);
  void give_records(model::Section& section);
  void submit_section(const model::Section& section);
  void section_done(const model::Section& section, const store::SectionResult& result);
  void settle(const model::Section& section);
  std::optional<base::Sequence> next_mark();

  void change_document();
  void submit_document(const model::DocumentChange& change);
  void document_done(const model::DocumentChange& change, store::Status status);
  void check_document(const model::DocumentChange& change);

  void note(Line& line, store::Status status);
  void watch_health();
  void again_soon(base::Scheduler::Task task);

  WorkloadOptions options_;
  store::Engine& engine_;
  store::Store& store_;
  Loop& loop_;
  base::Prng prng_;

  std::deque<uint64_t> numbers_again_;
  uint64_t next_number_;
  uint64_t acknowledged_ = 0;

  std::map<base::ShardId, Shard> shards_;
  bool has_taken_over_ = false;
  std::set<base::DeliveryId> seen_;  // each delivery comes in once, from wherever
  std::map<base::EndpointId, model::EndpointRecord> records_;

  // What keeps the low-water mark down: deliveries without an outcome or a record, and successes
  // that their endpoint's record does not include.
  std::multiset<base::Sequence> fresh_;
  std::map<base::EndpointId, std::set<base::Sequence>> uncounted_;
  base::Sequence newest_ = 0;
  base::Sequence mark_ = 0;

  std::map<std::string, uint64_t> revisions_;
  bool document_is_busy_ = false;
  Line publishes_{.name = "publish"};
  Line sections_{.name = "section"};
  Line health_{.name = "health"};
};

}  // namespace crash
