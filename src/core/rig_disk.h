// For tests: what the store of a CoreRig holds, and how it answers.
#pragma once

#include <algorithm>
#include <map>
#include <optional>

#include "core/effects.h"
#include "core/inputs.h"

namespace core {

class RigDisk {
 public:
  void publish(const model::Delivery& delivery) {
    all_[delivery.id] = delivery;
    if (delivery.recorded) {
      recorded_[delivery.id] = delivery;
    }
  }

  void apply(const model::Section& section) {
    for (const model::DeliveryChange& change : section.deliveries) {
      if (change.removed || change.end) {
        recorded_.erase(change.delivery);
      }
      if (change.placed) {
        recorded_[change.delivery] = *change.placed;
      }
      if (change.end) {
        ends_[change.delivery] = *change.end;
      }
      if (change.end == model::EndState::kDelivered) {
        successes_[change.delivery] = *change.attempt;
      }
    }
    for (const model::EndpointRecord& record : section.endpoints) {
      records_[record.id] = record;
    }
  }

  // An ordered delivery whose turn has come.
  const model::Delivery& unblock(base::DeliveryId delivery) {
    recorded_.at(delivery).blocked = false;
    return recorded_.at(delivery);
  }

  // Unfinished deliveries with a record.
  const std::map<base::DeliveryId, model::Delivery>& recorded() const { return recorded_; }
  std::optional<model::EndState> end_of(base::DeliveryId delivery) const {
    const auto found = ends_.find(delivery);
    return found == ends_.end() ? std::nullopt : std::optional(found->second);
  }

  model::ShardSnapshot snapshot(uint64_t epoch) const {
    model::ShardSnapshot snapshot{.shard = 0, .epoch = epoch};
    std::map<base::EndpointId, model::EndpointSnapshot> endpoints;
    for (const auto& [id, record] : records_) {
      endpoints[id].record = record;
    }
    for (const auto& [id, delivery] : recorded_) {
      snapshot.next_expiry = std::min(snapshot.next_expiry, delivery.last_slot);
      model::EndpointSnapshot& endpoint = endpoints[delivery.endpoint];
      endpoint.record.id = delivery.endpoint;
      endpoint.record.tenant = delivery.tenant;
      add_head(endpoint, delivery);
    }
    for (auto& [id, endpoint] : endpoints) {
      snapshot.endpoints.push_back(endpoint);
    }
    for (const auto& [id, queued] : all_) {
      const auto on_disk = recorded_.find(id);
      const auto success = successes_.find(id);
      snapshot.tail.push_back(
          {.delivery = on_disk == recorded_.end() ? queued : on_disk->second,
           .success = success == successes_.end() ? std::nullopt : std::optional(success->second),
           .unfinished = !ends_.contains(id)});
    }
    return snapshot;
  }

  // What the store sees at the time of the question.
  Input read(const Effect& effect) const {
    if (const auto* due = std::get_if<LoadDue>(&effect)) {
      return DueLoaded{.load = due->load,
                       .endpoint = due->query.endpoint,
                       .queue = due->query.queue,
                       .page = page_of(due->query)};
    }
    if (const auto* expired = std::get_if<LoadExpired>(&effect)) {
      return ExpiryLoaded{
          .load = expired->load, .shard = expired->query.shard, .page = page_of(expired->query)};
    }
    const auto& wanted = std::get<LoadDelivery>(effect);
    DeliveryLoaded loaded{.delivery = wanted.delivery, .endpoint = wanted.endpoint};
    if (all_.contains(wanted.delivery) && !ends_.contains(wanted.delivery)) {
      const auto found = recorded_.find(wanted.delivery);
      loaded.unfinished = found == recorded_.end() ? all_.at(wanted.delivery) : found->second;
    }
    return loaded;
  }

 private:
  static void add_head(model::EndpointSnapshot& endpoint, const model::Delivery& delivery) {
    if (delivery.blocked) {
      return;
    }
    auto at = std::find_if(endpoint.queues.begin(), endpoint.queues.end(),
                           [&](const auto& head) { return head.queue == delivery.queue; });
    if (at == endpoint.queues.end()) {
      at = endpoint.queues.insert(at, {.queue = delivery.queue});
    }
    auto& due = delivery.range == model::DueRange::kFirst ? at->first_due : at->retry_due;
    due = due ? std::min(*due, delivery.due) : delivery.due;
  }

  model::DuePage page_of(const model::DueQuery& query) const {
    std::map<model::DueKey, model::Delivery> matching;
    for (const auto& [id, delivery] : recorded_) {
      const bool is_of_range = delivery.endpoint == query.endpoint &&
                               delivery.queue == query.queue && delivery.range == query.range;
      if (is_of_range && !delivery.blocked && delivery.key() >= query.from &&
          delivery.due < query.until) {
        matching.emplace(delivery.key(), delivery);
      }
    }
    model::DuePage page{.deliveries = {}, .complete = matching.size() <= query.limit};
    for (const auto& [key, delivery] : matching) {
      if (page.deliveries.size() < query.limit) {
        page.deliveries.push_back(delivery);
      }
    }
    return page;
  }

  model::ExpiryPage page_of(const model::ExpiryQuery& query) const {
    std::map<model::ExpiryKey, model::Delivery> matching;
    for (const auto& [id, delivery] : recorded_) {
      const model::ExpiryKey key{.last_slot = delivery.last_slot, .delivery = id};
      if (key >= query.from) {
        matching.emplace(key, delivery);
      }
    }
    model::ExpiryPage page;
    for (const auto& [key, delivery] : matching) {
      if (key.last_slot > query.until || page.deliveries.size() == query.limit) {
        page.next = key.last_slot;
        break;
      }
      page.deliveries.push_back(delivery);
    }
    return page;
  }

  std::map<base::DeliveryId, model::Delivery> recorded_;
  std::map<base::DeliveryId, model::Delivery> all_;  // as they were queued
  std::map<base::DeliveryId, model::EndState> ends_;
  std::map<base::DeliveryId, model::Attempt> successes_;
  std::map<base::EndpointId, model::EndpointRecord> records_;
};

}  // namespace core
