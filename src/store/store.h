// Seam: where everything durable lives. Implementations: RocksStore, which the server uses, and the
// simulator's SimStore.
//
// The contract, to which tests/conformance holds every implementation:
//
// - Atomic: a section (a publish, the outcomes of one shard, the documents of a batch) is stored
//   whole or not at all.
// - Durable: kCommitted means that it survives a crash. Nothing else means that.
// - Ordered: sections take effect, and are reported, in the order of their commits, which for one
//   caller is the order of submission. Sequences grow in that order, also across restarts and
//   whatever the clock does.
// - Failure stops the line: after a section was reported kFailed or kUnknown, later sections of the
//   same shard are kFailed too until that one has been submitted again. (kUnknown: it may be
//   stored.)
// - Idempotent: a section submitted again (same shard, epoch, number) takes effect once. After
//   kFailed or kUnknown it reports what the first would have reported, with all its lists; one that
//   was reported as kCommitted is so again, but its lists may be empty. A publish with the same
//   unique key, or with the same event while the fate of the first is unknown, takes effect once
//   and reports the same result. So whoever hears kFailed or kUnknown submits it again.
// - Fenced: outcomes with an epoch that is not the shard's newest change nothing.
// - Reads show exactly what has been reported as committed, never more. A read asked for before a
//   commit may be answered after it, with what was there before. A store that is unavailable
//   answers reads, and acquires, when it is back.
// - Ordered deliveries: at most one unfinished delivery per subscription and object, the oldest, is
//   in the due index. The others are blocked; the end of the first promotes the next, in the same
//   section, as a first attempt due since it was queued.
// - Pages: a page holds at most `limit` entries in key order and says whether there are more. To go
//   on, ask again from the last key on.
// - Retention (what an implementation offers for it) removes only what ended: the content of an
//   unfinished delivery can be loaded as long as it is unfinished.
// - `done` runs on the caller's scheduler, never inside the call.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/document.h"
#include "model/event.h"
#include "model/section.h"

namespace store {

enum class Status : uint8_t {
  kCommitted,
  kFailed,    // not stored; may be submitted again
  kFenced,    // the shard has a new owner
  kUnknown,   // may be stored or not; submit it again to learn
  kConflict,  // a document does not have the expected revision
};

struct Batch {
  std::vector<model::Publish> publishes;
  std::vector<model::Section> sections;
  std::vector<model::DocumentChange> documents = {};  // all of them, or none
  // All deliveries below this sequence have an outcome or a due-index record, and all outcomes
  // below it are included in their endpoint's record: recovery need not look at them again.
  std::optional<base::Sequence> low_water;
};

struct PublishResult {
  Status status = Status::kFailed;
  bool is_repeat = false;                   // this event was reported as committed before
  std::vector<model::Delivery> deliveries;  // with ids; `blocked` and `recorded` as stored
  base::Sequence sequence = 0;              // names the event from now on
  uint64_t digest = 0;                      // of the one that is stored
};

struct SectionResult {
  base::ShardId shard = 0;
  uint64_t epoch = 0;
  uint64_t number = 0;
  Status status = Status::kFailed;
  // Next in line after ordered deliveries that ended, unless they ended in this section, too.
  std::vector<model::Delivery> promoted;
  std::vector<model::Delivery> published;  // of the section's operational events
};

struct BatchResult {
  std::vector<PublishResult> publishes;
  std::vector<SectionResult> sections;
  Status documents = Status::kCommitted;
};

// A delivery that may have ended; nothing if there is no such delivery.
struct FoundDelivery {
  model::Delivery delivery;
  std::optional<model::EndState> end;
};

class Store {
 public:
  virtual ~Store() = default;

  // `at` is the scheduling time of the commit.
  virtual void commit(base::Instant at, Batch batch, std::function<void(BatchResult)> done) = 0;

  virtual void load_due(const model::DueQuery& query, std::function<void(model::DuePage)> done) = 0;
  virtual void load_expired(const model::ExpiryQuery& query,
                            std::function<void(model::ExpiryPage)> done) = 0;
  virtual void load_delivery(base::DeliveryId delivery,
                             std::function<void(std::optional<FoundDelivery>)> done) = 0;

  // What was published under this sequence, unless retention has removed it.
  virtual void load_event(base::Sequence sequence,
                          std::function<void(std::optional<model::Event>)> done) = 0;
  virtual void load_documents(const model::DocumentQuery& query,
                              std::function<void(model::DocumentPage)> done) = 0;

  // Makes the caller the owner of these shards, under a new epoch each. The snapshots include every
  // publish that was reported before `done` runs, and none that is reported after.
  virtual void acquire(std::vector<base::ShardId> shards,
                       std::function<void(std::vector<model::ShardSnapshot>)> done) = 0;

  // The newest time of a commit: scheduling time must not begin before it.
  virtual base::Instant last_committed() const = 0;
};

}  // namespace store
