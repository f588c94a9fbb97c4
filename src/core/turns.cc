#include "core/turns.h"

#include <algorithm>

#include "base/check.h"

namespace core {
namespace {

size_t index_of(TurnClass turn_class) {
  CHECK(turn_class != TurnClass::kNone);
  return static_cast<size_t>(turn_class);
}

size_t index_of(model::Lane lane) { return static_cast<size_t>(lane); }

// Circular lists over indices; `links(i)` gives the link of member i. The head is the next to
// serve, so a new member goes in just before it.
template <class Links>
void push_last(uint32_t& head, uint32_t member, const Links& links) {
  RingLink& link = links(member);
  if (head == kNoIndex) {
    head = member;
    link = {.previous = member, .next = member};
    return;
  }
  const uint32_t last = links(head).previous;
  link = {.previous = last, .next = head};
  links(last).next = member;
  links(head).previous = member;
}

template <class Links>
void remove(uint32_t& head, uint32_t member, const Links& links) {
  RingLink& link = links(member);
  if (link.next == member) {
    CHECK_EQ(head, member);
    head = kNoIndex;
  } else {
    links(link.previous).next = link.next;
    links(link.next).previous = link.previous;
    if (head == member) {
      head = link.next;
    }
  }
  link = {};
}

}  // namespace

Turns::Turns(Slab<Endpoint>& endpoints, uint32_t in_flight_max)
    : endpoints_(endpoints), in_flight_max_(in_flight_max) {}

uint32_t Turns::join(base::TenantId tenant) {
  uint32_t index = tenant_index_.find(tenant.value);
  if (index == kNoIndex) {
    index = tenants_.allocate();
    tenants_[index] = Tenant{};
    tenants_[index].id = tenant;
    tenant_index_.insert(tenant.value, index);
  }
  tenants_[index].members += 1;
  return index;
}

void Turns::leave(uint32_t tenant) {
  CHECK_GT(tenants_[tenant].members, 0U);
  tenants_[tenant].members -= 1;
  if (tenants_[tenant].members == 0) {
    tenant_index_.erase(tenants_[tenant].id.value);
    tenants_.release(tenant);
  }
}

void Turns::set(uint32_t endpoint, model::Lane lane, TurnClass turn_class) {
  TurnClass& current = endpoints_[endpoint].turn_class[index_of(lane)];
  if (current == turn_class) {
    return;
  }
  if (current != TurnClass::kNone) {
    unlink_endpoint(endpoint, lane, current);
  }
  if (turn_class != TurnClass::kNone) {
    link_endpoint(endpoint, lane, turn_class);
  }
  current = turn_class;
}

void Turns::link_endpoint(uint32_t endpoint, model::Lane lane, TurnClass turn_class) {
  const size_t of_class = index_of(turn_class);
  const uint32_t tenant = endpoints_[endpoint].tenant;
  Ring& ring = tenants_[tenant].endpoints[of_class];
  if (ring.head == kNoIndex) {
    push_last(rings_[of_class].head, tenant,
              [&](uint32_t index) -> RingLink& { return tenants_[index].links[of_class]; });
  }
  push_last(ring.head, endpoint, [&](uint32_t index) -> RingLink& {
    return endpoints_[index].turn_links[index_of(lane)];
  });
}

void Turns::unlink_endpoint(uint32_t endpoint, model::Lane lane, TurnClass turn_class) {
  const size_t of_class = index_of(turn_class);
  const uint32_t tenant = endpoints_[endpoint].tenant;
  Ring& ring = tenants_[tenant].endpoints[of_class];
  remove(ring.head, endpoint,
         [&](uint32_t index) -> RingLink& { return endpoints_[index].turn_links[index_of(lane)]; });
  if (ring.head == kNoIndex) {
    remove(rings_[of_class].head, tenant,
           [&](uint32_t index) -> RingLink& { return tenants_[index].links[of_class]; });
  }
}

bool Turns::has_room(TurnClass turn_class) const {
  const uint32_t retry_max = std::max(1U, in_flight_max_ / 2);
  const uint32_t suspect_max = std::max(1U, (in_flight_max_ - retry_max) / 2);
  if (in_flight_ >= in_flight_max_) {
    return false;
  }
  switch (turn_class) {
    case TurnClass::kRetry:
      return in_flight_of_[index_of(turn_class)] < retry_max;
    case TurnClass::kFreshSuspect:
      return in_flight_of_[index_of(turn_class)] < suspect_max;
    case TurnClass::kFreshHealthy:
    case TurnClass::kNone:
      return true;
  }
  return false;
}

uint32_t Turns::take_turn(TurnClass turn_class) {
  const size_t of_class = index_of(turn_class);
  const uint32_t tenant = rings_[of_class].head;
  if (tenant == kNoIndex || !has_room(turn_class)) {
    return kNoIndex;
  }
  Ring& ring = tenants_[tenant].endpoints[of_class];
  const uint32_t endpoint = ring.head;
  const model::Lane lane =
      turn_class == TurnClass::kRetry ? model::Lane::kRetry : model::Lane::kFresh;
  ring.head = endpoints_[endpoint].turn_links[index_of(lane)].next;
  rings_[of_class].head = tenants_[tenant].links[of_class].next;
  return endpoint;
}

void Turns::started(TurnClass turn_class) {
  in_flight_ += 1;
  in_flight_of_[index_of(turn_class)] += 1;
  CHECK_LE(in_flight_, in_flight_max_);
}

void Turns::ended(TurnClass turn_class) {
  CHECK_GT(in_flight_of_[index_of(turn_class)], 0U);
  in_flight_ -= 1;
  in_flight_of_[index_of(turn_class)] -= 1;
}

}  // namespace core
