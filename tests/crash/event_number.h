// What the n-th event of a drill looks like: a pure function of n, so that whoever finds an event
// can tell what it should have been, without having been told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/section.h"

namespace crash {

// Few shards and endpoints, so that sections, queues and lines of ordered deliveries get long.
inline constexpr uint32_t kEndpoints = 16;
inline constexpr uint32_t kEndpointsPerShard = 2;
inline constexpr uint32_t kShards = kEndpoints / kEndpointsPerShard;

base::EndpointId endpoint_of(uint32_t index);
std::vector<base::ShardId> shards_in_use();

// The publish as a producer submits it: unique by a key of its own if n is even.
model::Publish publish_of(uint64_t number, base::Instant now);
uint32_t fan_out_of(uint64_t number);
std::string payload_of(uint64_t number);

// The number that the payload carries, whether or not the rest of it is right.
std::optional<uint64_t> number_in(std::string_view payload);

}  // namespace crash
