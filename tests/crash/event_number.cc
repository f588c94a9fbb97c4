#include "tests/crash/event_number.h"

#include <charconv>
#include <memory>
#include <utility>

#include "base/hash.h"
#include "base/prng.h"
#include "fmt/format.h"

namespace crash {
namespace {

constexpr std::string_view kOpening = R"({"number":)";
constexpr uint32_t kTenants = 3;
constexpr uint32_t kObjects = 40;

// Streams of chance, so that a change to one choice leaves the others as they are.
enum class Stream : uint64_t { kSize = 1, kFanOut, kDelivery };

base::Prng stream(uint64_t number, Stream which, uint64_t index = 0) {
  return base::Prng(base::mix(base::mix(number, static_cast<uint64_t>(which)), index));
}

uint64_t size_of(uint64_t number) {
  base::Prng prng = stream(number, Stream::kSize);
  if (prng.chance(2)) {
    return 8'000 + prng.below(56'000);
  }
  return 60 + prng.below(1'400);
}

model::Delivery delivery_of(uint64_t number, uint32_t index, base::Instant now) {
  base::Prng prng = stream(number, Stream::kDelivery, index);
  const auto endpoint = static_cast<uint32_t>(prng.below(kEndpoints));
  model::Delivery delivery{
      .event = {number + 1},
      .endpoint = endpoint_of(endpoint),
      .tenant = {1 + number % kTenants},
      .subscription = {100 + endpoint},
      .queued_at = now,
      .due = now,
      .last_slot = now + base::Duration::hours(48),
      .recorded = prng.chance(20),
  };
  if (prng.chance(20)) {
    delivery.object = {1 + prng.below(kObjects)};
    delivery.subscription = {200 + endpoint};
    delivery.queue = delivery.subscription;
  }
  return delivery;
}

}  // namespace

base::EndpointId endpoint_of(uint32_t index) {
  const uint32_t shard = index / kEndpointsPerShard * (base::kShardCount - 1) / (kShards - 1);
  return base::EndpointId::make(static_cast<base::ShardId>(shard), 1 + index);
}

std::vector<base::ShardId> shards_in_use() {
  std::vector<base::ShardId> shards;
  for (uint32_t index = 0; index < kEndpoints; index += kEndpointsPerShard) {
    shards.push_back(endpoint_of(index).shard());
  }
  return shards;
}

uint32_t fan_out_of(uint64_t number) {
  base::Prng prng = stream(number, Stream::kFanOut);
  if (prng.chance(5)) {
    return 0;
  }
  return prng.chance(75) ? 1 : 2 + static_cast<uint32_t>(prng.below(2));
}

std::string payload_of(uint64_t number) {
  std::string payload = fmt::format(R"({}{},"noise":")", kOpening, number);
  base::Prng prng = stream(number, Stream::kSize, 1);
  const uint64_t size = size_of(number);
  while (payload.size() < size) {
    payload += fmt::format("{:016x}", prng.next());
  }
  payload += "\"}";
  return payload;
}

std::optional<uint64_t> number_in(std::string_view payload) {
  if (!payload.starts_with(kOpening)) {
    return std::nullopt;
  }
  payload.remove_prefix(kOpening.size());
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(payload.data(), payload.data() + payload.size(), number);
  return error == std::errc{} && end != payload.data() ? std::optional(number) : std::nullopt;
}

model::Publish publish_of(uint64_t number, base::Instant now) {
  model::Publish publish{
      .event = {number + 1}, .tenant = {1 + number % kTenants}, .queued_at = now, .deliveries = {}};
  for (uint32_t index = 0; index < fan_out_of(number); ++index) {
    publish.deliveries.push_back(delivery_of(number, index, now));
  }
  auto event = std::make_shared<model::Event>(model::Event{.tenant = publish.tenant,
                                                           .id = {},
                                                           .type = "drill.tested",
                                                           .object_code = "DRILL",
                                                           .object_id = fmt::format("{}", number),
                                                           .payload = payload_of(number),
                                                           .unmatched_reason = {},
                                                           .redelivery_of = {}});
  publish.digest = base::hash_bytes(event->payload);
  if (number % 2 == 0) {
    event->id = fmt::format("event-{}", number);
    publish.unique_key = event->id;
  }
  if (publish.deliveries.empty()) {
    event->unmatched_reason = "nobody asked for it";
  }
  publish.content = std::move(event);
  return publish;
}

}  // namespace crash
