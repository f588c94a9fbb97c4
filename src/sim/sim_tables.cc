#include "sim/sim_tables.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace sim {

using base::DeliveryId;
using model::Delivery;
using model::DueKey;
using model::DueRange;
using model::EndState;
using model::ExpiryKey;

StoredPublish Tables::publish(const model::Publish& publish) {
  CHECK(!find(publish).has_value());
  const base::Sequence sequence = next_sequence_++;
  std::vector<Delivery> queued = publish.deliveries;
  for (uint32_t index = 0; index < queued.size(); ++index) {
    Delivery& delivery = queued[index];
    delivery.id = DeliveryId::make(sequence, index);
    if (delivery.object.is_set()) {
      std::set<DeliveryId>& line = lines_[{delivery.subscription, delivery.object}];
      delivery.blocked = !line.empty();
      delivery.recorded = delivery.recorded || delivery.blocked;
      line.insert(delivery.id);
    }
    if (delivery.recorded) {
      add_record(delivery);
    }
    deliveries_.emplace(delivery.id, StoredDelivery{.delivery = delivery});
  }
  if (keep_ended_) {
    events_.emplace(publish.event, sequence);
  }
  if (!publish.unique_key.empty()) {
    unique_.emplace(UniqueKey(publish.tenant, publish.unique_key), sequence);
  }
  if (publish.content || publish.digest != 0) {
    contents_.emplace(sequence, Content{.event = publish.content, .digest = publish.digest});
  }
  tally_.created += queued.size();
  unfinished_ += queued.size();
  return {.sequence = sequence, .digest = publish.digest, .deliveries = std::move(queued)};
}

std::optional<StoredPublish> Tables::find(const model::Publish& publish) const {
  if (const auto sequence = find_event(publish.event)) {
    return stored(*sequence);
  }
  if (!publish.unique_key.empty()) {
    const auto found = unique_.find({publish.tenant, publish.unique_key});
    if (found != unique_.end()) {
      return stored(found->second);
    }
  }
  return std::nullopt;
}

std::optional<base::Sequence> Tables::find_event(base::EventId event) const {
  const auto found = events_.find(event);
  return found == events_.end() ? std::nullopt : std::optional(found->second);
}

StoredPublish Tables::stored(base::Sequence sequence) const {
  StoredPublish result{.sequence = sequence};
  const auto content = contents_.find(sequence);
  result.digest = content == contents_.end() ? 0 : content->second.digest;
  for (auto at = deliveries_.lower_bound(DeliveryId::make(sequence, 0));
       at != deliveries_.end() && at->first.sequence() == sequence; ++at) {
    result.deliveries.push_back(at->second.delivery);
  }
  return result;
}

std::shared_ptr<const model::Event> Tables::content(base::Sequence sequence) const {
  const auto found = contents_.find(sequence);
  return found == contents_.end() ? nullptr : found->second.event;
}

bool Tables::apply(const std::vector<model::DocumentChange>& changes) {
  std::map<DocumentKey, StoredDocument> next;  // revision 0: there is none
  for (const model::DocumentChange& change : changes) {
    const DocumentKey key{change.table, change.tenant, change.key};
    const auto [entry, is_new] = next.try_emplace(key);
    StoredDocument& document = entry->second;
    if (const auto before = documents_.find(key); is_new && before != documents_.end()) {
      document = before->second;
    }
    if (change.expected_revision && *change.expected_revision != document.revision) {
      return false;
    }
    document = change.value
                   ? StoredDocument{.value = *change.value, .revision = document.revision + 1}
                   : StoredDocument{};
  }
  for (auto& [key, document] : next) {
    if (document.revision == 0) {
      documents_.erase(key);
    } else {
      documents_[key] = std::move(document);
    }
  }
  return true;
}

model::DocumentPage Tables::documents(const model::DocumentQuery& query) const {
  model::DocumentPage page{.documents = {}, .complete = true};
  const DocumentKey from{query.table, query.tenant, query.after};
  // The empty key is one, too: only a page that continues another begins behind `after`.
  auto at = query.after.empty() ? documents_.lower_bound(from) : documents_.upper_bound(from);
  for (; at != documents_.end(); ++at) {
    const auto& [table, tenant, key] = at->first;
    if (table != query.table || (tenant != query.tenant && !query.every_tenant)) {
      break;
    }
    if (page.documents.size() == query.limit) {
      page.complete = false;
      break;
    }
    page.documents.push_back({.table = table,
                              .tenant = tenant,
                              .key = key,
                              .value = at->second.value,
                              .revision = at->second.revision});
  }
  return page;
}

// A blocked delivery is not due, but it can be given up.
void Tables::add_record(const Delivery& delivery) {
  if (!delivery.blocked) {
    due_[{delivery.endpoint, delivery.queue, delivery.range}].emplace(delivery.key(), delivery.id);
  }
  expiry_[delivery.endpoint.shard()].emplace(
      ExpiryKey{.last_slot = delivery.last_slot, .delivery = delivery.id}, delivery.id);
}

void Tables::remove_record(const Delivery& delivery) {
  if (!delivery.blocked) {
    const auto range = due_.find({delivery.endpoint, delivery.queue, delivery.range});
    CHECK(range != due_.end());
    CHECK_EQ(range->second.erase(delivery.key()), 1U);
    if (range->second.empty()) {
      due_.erase(range);
    }
  }
  CHECK_EQ(expiry_[delivery.endpoint.shard()].erase(
               ExpiryKey{.last_slot = delivery.last_slot, .delivery = delivery.id}),
           1U);
}

std::optional<Delivery> Tables::promote_next(const Delivery& ended) {
  const auto line = lines_.find({ended.subscription, ended.object});
  CHECK(line != lines_.end());
  const bool was_first = *line->second.begin() == ended.id;
  line->second.erase(ended.id);
  if (line->second.empty()) {
    lines_.erase(line);
    return std::nullopt;
  }
  if (!was_first) {
    return std::nullopt;
  }
  Delivery& next = deliveries_.at(*line->second.begin()).delivery;
  CHECK(next.blocked);
  next.blocked = false;
  due_[{next.endpoint, next.queue, next.range}].emplace(next.key(), next.id);
  return next;
}

void Tables::end(StoredDelivery& stored, const model::DeliveryChange& change) {
  CHECK(!stored.end.has_value());
  stored.end = change.end;
  unfinished_ -= 1;
  switch (*change.end) {
    case EndState::kDelivered:
      tally_.delivered += 1;
      if (keep_ended_ && change.attempt) {
        successes_.emplace(change.delivery, *change.attempt);
      }
      break;
    case EndState::kDropped:
      tally_.dropped += 1;
      break;
    case EndState::kCancelled:
      tally_.cancelled += 1;
      break;
  }
}

std::vector<Delivery> Tables::apply(const model::DeliveryChange& change) {
  const auto found = deliveries_.find(change.delivery);
  CHECK(found != deliveries_.end());
  StoredDelivery& stored = found->second;
  CHECK(!stored.end.has_value());
  CHECK_EQ(change.removed.has_value(),
           stored.delivery.recorded && (change.placed.has_value() || change.end.has_value()));
  if (change.removed) {
    remove_record(stored.delivery);
  }
  if (change.placed) {
    stored.delivery = *change.placed;
    add_record(stored.delivery);
  }
  std::vector<Delivery> promoted;
  if (change.end) {
    end(stored, change);
    if (stored.delivery.object.is_set()) {
      if (auto next = promote_next(stored.delivery)) {
        promoted.push_back(*std::move(next));
      }
    }
    if (!keep_ended_) {
      deliveries_.erase(found);
    }
  }
  return promoted;
}

void Tables::raise_low_water(base::Sequence sequence) {
  CHECK_GE(sequence, low_water_);
  low_water_ = sequence;
  successes_.erase(successes_.begin(), successes_.lower_bound(DeliveryId::make(sequence, 0)));
}

model::DuePage Tables::due(const model::DueQuery& query) const {
  model::DuePage page{.deliveries = {}, .complete = true};
  const auto range = due_.find({query.endpoint, query.queue, query.range});
  if (range == due_.end()) {
    return page;
  }
  for (auto at = range->second.lower_bound(query.from);
       at != range->second.end() && at->first.due < query.until; ++at) {
    if (page.deliveries.size() == query.limit) {
      page.complete = false;
      break;
    }
    page.deliveries.push_back(deliveries_.at(at->second).delivery);
  }
  return page;
}

model::ExpiryPage Tables::expired(const model::ExpiryQuery& query) const {
  model::ExpiryPage page;
  const auto& index = expiry_[query.shard];
  for (auto at = index.lower_bound(query.from); at != index.end(); ++at) {
    if (at->first.last_slot > query.until || page.deliveries.size() == query.limit) {
      page.next = at->first.last_slot;
      break;
    }
    page.deliveries.push_back(deliveries_.at(at->second).delivery);
  }
  return page;
}

const StoredDelivery* Tables::find(DeliveryId delivery) const {
  const auto found = deliveries_.find(delivery);
  return found == deliveries_.end() ? nullptr : &found->second;
}

model::ShardSnapshot Tables::snapshot(base::ShardId shard) const {
  model::ShardSnapshot snapshot{.shard = shard, .low_water = low_water_};
  std::map<base::EndpointId, model::EndpointSnapshot> endpoints;
  const base::EndpointId first = base::EndpointId::make(shard, 0);
  for (auto at = endpoints_.lower_bound(first);
       at != endpoints_.end() && at->first.shard() == shard; ++at) {
    endpoints[at->first].record = at->second;
  }
  for (auto at = due_.lower_bound({first, model::QueueId{}, DueRange::kFirst});
       at != due_.end() && std::get<0>(at->first).shard() == shard; ++at) {
    const auto& [endpoint, queue, range] = at->first;
    const auto [entry, is_new] = endpoints.try_emplace(endpoint);
    if (is_new) {
      const Delivery& any = deliveries_.at(at->second.begin()->second).delivery;
      entry->second.record.id = endpoint;
      entry->second.record.tenant = any.tenant;
    }
    std::vector<model::QueueHead>& heads = entry->second.queues;
    if (heads.empty() || heads.back().queue != queue) {
      heads.push_back({.queue = queue});
    }
    (range == DueRange::kFirst ? heads.back().first_due : heads.back().retry_due) =
        at->second.begin()->first.due;
  }
  for (auto& [id, endpoint] : endpoints) {
    snapshot.endpoints.push_back(std::move(endpoint));
  }
  for (auto at = deliveries_.lower_bound(DeliveryId::make(low_water_, 0)); at != deliveries_.end();
       ++at) {
    const StoredDelivery& stored = at->second;
    if (stored.delivery.endpoint.shard() == shard) {
      const auto success = successes_.find(at->first);
      snapshot.tail.push_back(
          {.delivery = stored.delivery,
           .success = success == successes_.end() ? std::nullopt : std::optional(success->second),
           .unfinished = !stored.end.has_value()});
    }
  }
  if (!expiry_[shard].empty()) {
    snapshot.next_expiry = expiry_[shard].begin()->first.last_slot;
  }
  return snapshot;
}

Tally Tables::recount() const {
  Tally sum;
  for (const auto& [id, stored] : deliveries_) {
    sum.created += 1;
    if (stored.end) {
      sum.delivered += *stored.end == EndState::kDelivered ? 1 : 0;
      sum.dropped += *stored.end == EndState::kDropped ? 1 : 0;
      sum.cancelled += *stored.end == EndState::kCancelled ? 1 : 0;
    }
  }
  return sum;
}

}  // namespace sim
