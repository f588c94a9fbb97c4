// Distinct types for the ids of things, so that a subscription is never taken for an endpoint.
//
// An id is plain data: who makes it says how (the store hands out sequences and endpoint ids).
#pragma once

#include <compare>
#include <cstdint>

#include "base/check.h"
#include "base/hash.h"

namespace base {

template <class Tag>
struct Id {
  uint64_t value = 0;

  constexpr auto operator<=>(const Id&) const = default;
  constexpr bool is_set() const { return value != 0; }
};

using TenantId = Id<struct TenantTag>;
using SubscriptionId = Id<struct SubscriptionTag>;
// What a producer or the server calls an event; unique, so that a repeated commit is recognised.
using EventId = Id<struct EventTag>;
// The object that an event is about, hashed. Ordered delivery keeps the order per object; two
// objects that share a hash merely wait for each other.
using ObjectId = Id<struct ObjectTag>;

// Endpoints are spread over a fixed number of shards; the number is part of the storage format.
inline constexpr uint32_t kShardCount = 256;
using ShardId = uint8_t;

// The top byte of an endpoint's id is its shard.
struct EndpointId {
  uint64_t value = 0;

  constexpr auto operator<=>(const EndpointId&) const = default;
  constexpr bool is_set() const { return value != 0; }
  constexpr ShardId shard() const { return static_cast<ShardId>(value >> 56U); }

  static constexpr EndpointId make(ShardId shard, uint64_t number) {
    return {(uint64_t{shard} << 56U) | (number & 0x00ff'ffff'ffff'ffffULL)};
  }
};

// The place of an event in the order of commits: strictly growing, also across restarts. 48 bits
// last for half a century at a hundred thousand events a second.
using Sequence = uint64_t;

// A delivery is the n-th of its event's fan-out, so its id sorts in commit order.
struct DeliveryId {
  static constexpr uint32_t kFanOutMax = 1U << 16U;

  uint64_t value = 0;

  constexpr auto operator<=>(const DeliveryId&) const = default;
  constexpr bool is_set() const { return value != 0; }
  constexpr Sequence sequence() const { return value >> 16U; }

  static DeliveryId make(Sequence sequence, uint32_t index) {
    CHECK(sequence < (uint64_t{1} << 48U));
    CHECK_LT(index, kFanOutMax);
    return {(sequence << 16U) | index};
  }
};

}  // namespace base
