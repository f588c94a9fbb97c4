#include "match/tenant_subscriptions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/prefetch.h"

namespace match {

namespace {

constexpr size_t kGatheredMax = 16;

}  // namespace

bool TenantSubscriptions::add(const Subscription& subscription, Filter filter) {
  CHECK(subscription.id.is_set());
  if (by_id_.contains(subscription.id.value)) {
    return false;
  }
  const std::vector<Equality> equalities = required_equalities(filter);
  const Filing filing = choose_filing(subscription, equalities);
  const uint32_t number = take_slot();
  Slot& slot = slots_[number];
  slot.id = subscription.id;
  slot.endpoint = subscription.endpoint;
  slot.texts = TextBlock<kTexts>({subscription.type_pattern, subscription.object_code,
                                  subscription.object_id, subscription.url});
  slot.filter = std::move(filter);
  slot.key = filing.key;
  slot.shape = shapes_.acquire(filing.shape, filing.field);
  slot.ordered = subscription.ordered;
  slot.has_own_queue = subscription.has_own_queue;
  link(number);
  by_id_.insert(slot.id.value, number);
  return true;
}

bool TenantSubscriptions::remove(base::SubscriptionId id) {
  const uint32_t number = by_id_.find(id.value);
  if (number == kNone) {
    return false;
  }
  unlink(slots_[number]);
  slots_[number] = Slot{.next = first_free_};
  first_free_ = number;
  by_id_.erase(id.value);
  return true;
}

void TenantSubscriptions::prefetch() const {
  shapes_.prefetch();
  buckets_.prefetch();
  base::prefetch(slots_.data(), std::min(slots_.size(), kGatheredMax) * sizeof(Slot));
}

void TenantSubscriptions::match(const EventFacts& event, Effort& effort,
                                std::vector<Match>& matches) const {
  // With many tenants none of this is in the cache: candidates are gathered before they are looked
  // at, so that all are waited for at once.
  std::array<const Slot*, kGatheredMax> gathered{};
  size_t count = 0;
  const size_t before = matches.size();
  const auto look_at_gathered = [&] {
    for (const Slot* slot : std::span(gathered).first(count)) {
      if (!effort.is_exhausted() && wants(*slot, event, effort)) {
        matches.push_back({.id = slot->id,
                           .endpoint = slot->endpoint,
                           .ordered = slot->ordered,
                           .has_own_queue = slot->has_own_queue});
      }
    }
    count = 0;
  };
  visit_candidates(event, effort, [&](const Slot& slot) {
    slot.texts.prefetch();
    slot.filter.prefetch();
    gathered[count++] = &slot;
    if (count == kGatheredMax) {
      look_at_gathered();
    }
  });
  look_at_gathered();
  std::ranges::sort(matches.begin() + static_cast<std::ptrdiff_t>(before), matches.end(), {},
                    &Match::id);
}

template <class Visit>
void TenantSubscriptions::visit_candidates(const EventFacts& event, Effort& effort,
                                           const Visit& visit) const {
  const SelectionHashes hashes(event.type, event.object_code, event.object_id);
  const ShapesInUse::Values values = shapes_.values_in(event.states);
  for (const ShapesInUse::Entry& entry : shapes_.entries()) {
    effort.spend(1);
    const std::optional<uint64_t> value = values[entry.field];
    if (entry.users == 0 || !value.has_value()) {
      continue;
    }
    const std::optional<uint64_t> key = hashes.key(entry.shape, *value);
    const Bucket* bucket = key.has_value() ? buckets_.find(*key) : nullptr;
    uint32_t next = bucket == nullptr ? kNone : bucket->first;
    while (next != kNone && !effort.is_exhausted()) {
      effort.spend(1);
      const Slot& slot = slots_[next];
      next = slot.next;
      visit(slot);
    }
  }
}

bool TenantSubscriptions::wants(const Slot& slot, const EventFacts& event, Effort& effort) {
  const auto pins_other = [&slot](TextOf pinned, std::string_view actual) {
    const std::string_view text = slot.texts.text(pinned);
    return !text.empty() && text != actual;
  };
  return !pins_other(kObjectCode, event.object_code) && !pins_other(kObjectId, event.object_id) &&
         type_matches(slot.texts.text(kTypePattern), event.type) &&
         slot.filter.passes(event.states, effort);
}

TenantSubscriptions::Filing TenantSubscriptions::choose_filing(
    const Subscription& subscription, std::span<const Equality> equalities) const {
  const SelectionHashes hashes(subscription.type_pattern, subscription.object_code,
                               subscription.object_id);
  const auto filing_under = [&hashes](const Shape& shape, const Equality* equality) {
    const uint64_t value = equality == nullptr ? 0 : pinned_value(*equality);
    const std::optional<uint64_t> key = hashes.key(shape, value);
    CHECK(key.has_value());
    return Filing{
        .shape = shape, .field = equality == nullptr ? nullptr : &equality->path, .key = *key};
  };
  const Shape selection = Shape::of(subscription);
  std::optional<Filing> rarest;
  for (const Equality& equality : equalities) {
    const Filing candidate = filing_under(selection, &equality);
    const bool is_rarer = !rarest.has_value() || sharers(candidate) < sharers(*rarest);
    if (is_rarer && shapes_.has_room(selection, &equality.path)) {
      rarest = candidate;
    }
  }
  if (rarest.has_value()) {
    return *rarest;
  }
  const bool has_room = shapes_.has_room(selection, nullptr);
  return filing_under(has_room ? selection : Shape::catch_all(), nullptr);
}

uint32_t TenantSubscriptions::sharers(const Filing& filing) const {
  const Bucket* bucket = buckets_.find(filing.key);
  return bucket == nullptr ? 0 : bucket->count;
}

uint32_t TenantSubscriptions::take_slot() {
  if (first_free_ == kNone) {
    slots_.emplace_back();
    return static_cast<uint32_t>(slots_.size() - 1);
  }
  const uint32_t number = first_free_;
  first_free_ = slots_[number].next;
  return number;
}

void TenantSubscriptions::link(uint32_t number) {
  Slot& slot = slots_[number];
  Bucket& bucket = buckets_.at(slot.key);
  slot.previous = kNone;
  slot.next = bucket.first;
  if (slot.next != kNone) {
    slots_[slot.next].previous = number;
  }
  bucket.first = number;
  ++bucket.count;
}

void TenantSubscriptions::unlink(const Slot& slot) {
  Bucket* bucket = buckets_.find(slot.key);
  CHECK(bucket != nullptr);
  if (slot.next != kNone) {
    slots_[slot.next].previous = slot.previous;
  }
  if (slot.previous != kNone) {
    slots_[slot.previous].next = slot.next;
  } else {
    bucket->first = slot.next;
  }
  shapes_.release(slot.shape);
  if (--bucket->count == 0) {
    buckets_.erase(slot.key);
  }
}

const TenantSubscriptions::Slot* TenantSubscriptions::find(base::SubscriptionId id) const {
  const uint32_t number = by_id_.find(id.value);
  return number == kNone ? nullptr : &slots_[number];
}

std::optional<base::EndpointId> TenantSubscriptions::endpoint_of(base::SubscriptionId id) const {
  const Slot* slot = find(id);
  return slot == nullptr ? std::nullopt : std::optional(slot->endpoint);
}

std::optional<std::string_view> TenantSubscriptions::url_of(base::SubscriptionId id) const {
  const Slot* slot = find(id);
  return slot == nullptr ? std::nullopt : std::optional(slot->texts.text(kUrl));
}

}  // namespace match
