// The simulator's database: plain ordered maps, and what a section does to them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "model/document.h"
#include "model/event.h"
#include "model/section.h"

namespace sim {

struct StoredDelivery {
  model::Delivery delivery;  // as it waits
  std::optional<model::EndState> end;
};

struct StoredPublish {
  base::Sequence sequence = 0;
  uint64_t digest = 0;
  std::vector<model::Delivery> deliveries;
};

// What ends of deliveries add up to.
struct Tally {
  uint64_t created = 0;
  uint64_t delivered = 0;
  uint64_t dropped = 0;
  uint64_t cancelled = 0;

  uint64_t ended() const { return delivered + dropped + cancelled; }
};

class Tables {
 public:
  explicit Tables(bool keep_ended) : keep_ended_(keep_ended) {}

  // Stores the event, which must be new, and hands out ids.
  StoredPublish publish(const model::Publish& publish);
  // What is stored of this event, or of the one with its unique key.
  std::optional<StoredPublish> find(const model::Publish& publish) const;
  std::optional<base::Sequence> find_event(base::EventId event) const;
  std::shared_ptr<const model::Event> content(base::Sequence sequence) const;

  // All changes or, if a document does not have the expected revision, none.
  bool apply(const std::vector<model::DocumentChange>& changes);
  model::DocumentPage documents(const model::DocumentQuery& query) const;

  // Returns ordered deliveries whose turn has come.
  std::vector<model::Delivery> apply(const model::DeliveryChange& change);
  void put(const model::EndpointRecord& record) { endpoints_[record.id] = record; }
  void raise_low_water(base::Sequence sequence);

  model::DuePage due(const model::DueQuery& query) const;
  model::ExpiryPage expired(const model::ExpiryQuery& query) const;
  const StoredDelivery* find(base::DeliveryId delivery) const;
  model::ShardSnapshot snapshot(base::ShardId shard) const;

  base::Sequence low_water() const { return low_water_; }
  const Tally& tally() const { return tally_; }
  // Counted anew from the records themselves.
  Tally recount() const;
  uint64_t unfinished() const { return unfinished_; }

 private:
  using Range = std::tuple<base::EndpointId, model::QueueId, model::DueRange>;
  using Line = std::pair<base::SubscriptionId, base::ObjectId>;
  using UniqueKey = std::pair<base::TenantId, std::string>;
  using DocumentKey = std::tuple<model::Table, base::TenantId, std::string>;
  struct StoredDocument {
    std::string value;
    uint64_t revision = 0;
  };
  // Of events that have either: most simulated ones have neither.
  struct Content {
    std::shared_ptr<const model::Event> event;
    uint64_t digest = 0;
  };

  StoredPublish stored(base::Sequence sequence) const;

  void add_record(const model::Delivery& delivery);
  void remove_record(const model::Delivery& delivery);
  std::optional<model::Delivery> promote_next(const model::Delivery& ended);
  void end(StoredDelivery& stored, const model::DeliveryChange& change);

  bool keep_ended_;
  base::Sequence next_sequence_ = 1;
  base::Sequence low_water_ = 0;
  std::map<base::EventId, base::Sequence> events_;
  std::map<UniqueKey, base::Sequence> unique_;
  std::map<base::Sequence, Content> contents_;
  std::map<DocumentKey, StoredDocument> documents_;
  std::map<base::DeliveryId, StoredDelivery> deliveries_;
  std::map<base::DeliveryId, model::Attempt> successes_;  // above the low-water mark
  std::map<base::EndpointId, model::EndpointRecord> endpoints_;
  std::map<Range, std::map<model::DueKey, base::DeliveryId>> due_;
  std::array<std::map<model::ExpiryKey, base::DeliveryId>, base::kShardCount> expiry_;
  std::map<Line, std::set<base::DeliveryId>> lines_;  // unfinished ordered deliveries, per object
  Tally tally_;
  uint64_t unfinished_ = 0;
};

}  // namespace sim
