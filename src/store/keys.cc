#include "store/keys.h"

#include <algorithm>

#include "base/check.h"
#include "store/bytes.h"

namespace store {
namespace {

constexpr size_t kDueKeySize = 8 + 8 + 1 + 8 + 8;
constexpr size_t kExpiryKeySize = 1 + 8 + 8;

// Times are never negative, so that their byte order is their order.
uint64_t time_bits(base::Instant at) {
  CHECK_GE(at.ms(), 0);
  return static_cast<uint64_t>(at.ms());
}

base::Instant time_of(uint64_t bits) { return base::Instant::from_ms(static_cast<int64_t>(bits)); }

std::string with_size(size_t size) {
  std::string key;
  key.reserve(size);
  return key;
}

}  // namespace

std::string sequence_key(base::Sequence sequence) {
  std::string key = with_size(8);
  ByteWriter(key).big64(sequence);
  return key;
}

base::Sequence sequence_of(std::string_view key) { return ByteReader(key).big64(); }

std::string outcome_key(base::DeliveryId delivery, uint32_t number) {
  std::string key = with_size(12);
  ByteWriter(key).big64(delivery.value).big32(number);
  return key;
}

base::DeliveryId delivery_of_outcome(std::string_view key) { return {ByteReader(key).big64()}; }

uint32_t number_of_outcome(std::string_view key) {
  ByteReader reader(key);
  reader.big64();
  return reader.big32();
}

std::string due_prefix(base::EndpointId endpoint, model::QueueId queue, model::DueRange range) {
  std::string key = with_size(kDueKeySize);
  ByteWriter(key).big64(endpoint.value).big64(queue.value).u8(static_cast<uint8_t>(range));
  return key;
}

std::string due_key(base::EndpointId endpoint, model::QueueId queue, model::DueRange range,
                    const model::DueKey& at) {
  std::string key = due_prefix(endpoint, queue, range);
  ByteWriter(key).big64(time_bits(at.due)).big64(at.delivery.value);
  return key;
}

std::string due_key(const model::Delivery& delivery) {
  return due_key(delivery.endpoint, delivery.queue, delivery.range, delivery.key());
}

std::optional<DuePlace> parse_due_key(std::string_view key) {
  if (key.size() != kDueKeySize) {
    return std::nullopt;
  }
  ByteReader reader(key);
  DuePlace place;
  place.endpoint = {reader.big64()};
  place.queue = {reader.big64()};
  const uint8_t range = reader.u8();
  if (range > static_cast<uint8_t>(model::DueRange::kRetry)) {
    return std::nullopt;
  }
  place.range = static_cast<model::DueRange>(range);
  place.at.due = time_of(reader.big64());
  place.at.delivery = {reader.big64()};
  return place;
}

std::string expiry_key(base::ShardId shard, const model::ExpiryKey& at) {
  std::string key = with_size(kExpiryKeySize);
  ByteWriter(key).u8(shard).big64(time_bits(at.last_slot)).big64(at.delivery.value);
  return key;
}

std::string expiry_key(const model::Delivery& delivery) {
  return expiry_key(delivery.endpoint.shard(),
                    {.last_slot = delivery.last_slot, .delivery = delivery.id});
}

std::optional<model::ExpiryKey> parse_expiry_key(std::string_view key) {
  if (key.size() != kExpiryKeySize) {
    return std::nullopt;
  }
  ByteReader reader(key);
  reader.u8();
  const base::Instant last_slot = time_of(reader.big64());
  return model::ExpiryKey{.last_slot = last_slot, .delivery = {reader.big64()}};
}

std::string line_prefix(base::SubscriptionId subscription, base::ObjectId object) {
  std::string key = with_size(24);
  ByteWriter(key).big64(subscription.value).big64(object.value);
  return key;
}

std::string line_key(base::SubscriptionId subscription, base::ObjectId object,
                     base::DeliveryId delivery) {
  std::string key = line_prefix(subscription, object);
  ByteWriter(key).big64(delivery.value);
  return key;
}

base::DeliveryId delivery_of_line(std::string_view key) {
  ByteReader reader(key);
  reader.big64();
  reader.big64();
  return {reader.big64()};
}

std::string endpoint_key(base::EndpointId endpoint) { return sequence_key(endpoint.value); }

std::string history_key(const model::Transition& transition, uint64_t commit, uint32_t index) {
  std::string key = with_size(28);
  ByteWriter(key)
      .big64(transition.endpoint.value)
      .big64(time_bits(transition.at))
      .big64(commit)
      .big32(index);
  return key;
}

base::Instant time_of_history(std::string_view key) {
  return time_of(ByteReader(key.substr(std::min(key.size(), kHistoryPrefixSize))).big64());
}

std::string tenant_prefix(base::TenantId tenant) { return sequence_key(tenant.value); }

std::string unique_key(base::TenantId tenant, std::string_view key) {
  std::string made = with_size(8 + key.size());
  ByteWriter(made).big64(tenant.value).rest(key);
  return made;
}

std::string rollup_key(base::TenantId tenant, RollupKind kind, uint64_t id, int64_t hour) {
  std::string key = with_size(25);
  ByteWriter(key)
      .big64(tenant.value)
      .u8(static_cast<uint8_t>(kind))
      .big64(id)
      .big64(static_cast<uint64_t>(hour));
  return key;
}

uint64_t id_of_rollup(std::string_view key) {
  ByteReader reader(key);
  reader.big64();
  reader.u8();
  return reader.big64();
}

int64_t hour_of_rollup(std::string_view key) {
  ByteReader reader(key.substr(std::min(key.size(), kRollupPrefixSize)));
  return static_cast<int64_t>(reader.big64());
}

std::string document_prefix(model::Table table, base::TenantId tenant) {
  std::string key = with_size(9);
  ByteWriter(key).u8(static_cast<uint8_t>(table)).big64(tenant.value);
  return key;
}

std::string document_key(model::Table table, base::TenantId tenant, std::string_view key) {
  std::string made = document_prefix(table, tenant);
  made.append(key);
  return made;
}

base::TenantId tenant_of_document(std::string_view key) {
  ByteReader reader(key);
  reader.u8();
  return {reader.big64()};
}

std::string table_prefix(model::Table table) { return std::string(1, static_cast<char>(table)); }

std::string epoch_key(base::ShardId shard) {
  std::string key(kEpochPrefix);
  ByteWriter(key).u8(shard);
  return key;
}

std::string minute_key(int64_t minute) {
  std::string key(kMinutePrefix);
  ByteWriter(key).big64(static_cast<uint64_t>(minute));
  return key;
}

std::string erasing_key(base::TenantId tenant) {
  std::string key(kErasingPrefix);
  ByteWriter(key).big64(tenant.value);
  return key;
}

int64_t minute_of(std::string_view key) {
  ByteReader reader(key.substr(std::min(key.size(), kMinutePrefix.size())));
  return static_cast<int64_t>(reader.big64());
}

std::string after_prefix(std::string prefix) {
  while (!prefix.empty() && static_cast<uint8_t>(prefix.back()) == 0xff) {
    prefix.pop_back();
  }
  if (!prefix.empty()) {
    prefix.back() = static_cast<char>(static_cast<uint8_t>(prefix.back()) + 1);
  }
  return prefix;
}

}  // namespace store
