// The subscriptions of one tenant, filed so that an event looks at few of those that do not want
// it. Not for several threads; subscription_index.h puts the lock around it.
//
// Each subscription is filed under one key: its shape and what it pins (shape.h), and if its filter
// requires values, also one of these, whichever is rarest so far. So 100 000 subscriptions to the
// same type of event, each for another customer, are a lookup of the customer. Where a subscription
// is filed never changes what it matches: every candidate is checked in full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/flat_table.h"
#include "base/id_table.h"
#include "base/ids.h"
#include "match/equality.h"
#include "match/shape.h"
#include "match/shapes_in_use.h"
#include "match/subscription.h"
#include "match/text_block.h"

namespace match {

class TenantSubscriptions {
 public:
  // False if there is one with its id; then nothing changes.
  bool add(const Subscription& subscription, Filter filter);
  // False if there is none.
  bool remove(base::SubscriptionId id);

  // Asks for what match() looks at first to be brought into the cache; of a small tenant it is all
  // but the texts and filters.
  void prefetch() const;

  // Appends those that want the event, in the order of their ids. What it appends means nothing if
  // the effort is exhausted.
  void match(const EventFacts& event, Effort& effort, std::vector<Match>& matches) const;

  std::optional<base::EndpointId> endpoint_of(base::SubscriptionId id) const;
  // Valid until the next change.
  std::optional<std::string_view> url_of(base::SubscriptionId id) const;

  size_t size() const { return by_id_.size(); }

 private:
  static constexpr uint32_t kNone = base::kNoIndex;

  // What is compared comes first, in the same cache line.
  enum TextOf : size_t { kTypePattern, kObjectCode, kObjectId, kUrl, kTexts };

  // One subscription; one cache line.
  struct alignas(64) Slot {
    base::SubscriptionId id;
    base::EndpointId endpoint;
    TextBlock<kTexts> texts;
    Filter filter;
    uint64_t key = 0;       // that it is filed under
    uint32_t next = kNone;  // under the same key, or the next free slot
    uint32_t previous = kNone;
    uint16_t shape = 0;
    bool ordered = false;
    bool has_own_queue = false;
  };
  static_assert(sizeof(Slot) == 64);

  struct Bucket {
    uint32_t first = kNone;
    uint32_t count = 0;
  };

  // Under what a subscription can be filed.
  struct Filing {
    Shape shape;
    const FieldPath* field = nullptr;  // whose value is pinned, if one is
    uint64_t key = 0;
  };

  Filing choose_filing(const Subscription& subscription,
                       std::span<const Equality> equalities) const;
  uint32_t sharers(const Filing& filing) const;

  uint32_t take_slot();
  void link(uint32_t number);
  void unlink(const Slot& slot);

  // Calls `visit` with each slot whose key the event has.
  template <class Visit>
  void visit_candidates(const EventFacts& event, Effort& effort, const Visit& visit) const;
  static bool wants(const Slot& slot, const EventFacts& event, Effort& effort);
  const Slot* find(base::SubscriptionId id) const;

  // What match() looks at comes first.
  ShapesInUse shapes_;
  base::FlatTable<Bucket> buckets_;
  std::vector<Slot> slots_;
  base::IdTable by_id_;  // to slots
  uint32_t first_free_ = kNone;
};

}  // namespace match
