// What is where on disk: the tables (RocksDB column families) and their keys.
//
//   table      key                                       value
//   meta       "state", "format", "removing"             Standing, version, ranges of sequences
//              epoch | shard, minute | time              epoch, sequence
//              erasing | tenant                          ranges of sequences
//   events     sequence                                  event with its fan-out list
//   outcomes   delivery | attempt number                 attempt and, if it ended, how
//   due        endpoint | queue | range | due | delivery the waiting delivery
//   expiry     shard | last slot | delivery              the waiting delivery
//   lines      subscription | object | delivery          where its expiry record is
//   endpoints  endpoint                                  circuit and counters
//   history    endpoint | time | commit | n              transition of the circuit
//   unique     tenant | key of the producer              sequence and digest
//   rollups    tenant | kind | id | hour                 counts, added up
//   documents  table | tenant | key                      revision and bytes
//
// Events and outcomes, which every message has, are in commit order: their files never overlap, are
// never rewritten, and retention drops them whole. Numbers are big-endian, so byte order is number
// order and a page is one range scan.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "model/delivery.h"
#include "model/document.h"
#include "model/section.h"

namespace store {

enum class Family : uint8_t {
  kMeta,
  kEvents,
  kOutcomes,
  kDue,
  kExpiry,
  kLines,
  kEndpoints,
  kHistory,
  kUnique,
  kRollups,
  kDocuments,
};

// In the order of Family. RocksDB insists on "default" for the first.
inline constexpr std::array kFamilyNames = {
    "default",   "events",  "outcomes", "due",     "expiry",    "lines",
    "endpoints", "history", "unique",   "rollups", "documents",
};
inline constexpr size_t kFamilyCount = kFamilyNames.size();

// An attempt that did not happen: the key under which an end without attempt is kept; sorts last.
inline constexpr uint32_t kNoAttempt = 0xffff'ffff;

inline constexpr size_t kSequenceKeySize = 8;
std::string sequence_key(base::Sequence sequence);
base::Sequence sequence_of(std::string_view key);

std::string outcome_key(base::DeliveryId delivery, uint32_t number);
base::DeliveryId delivery_of_outcome(std::string_view key);
uint32_t number_of_outcome(std::string_view key);

// The beginning of all keys of one range of one queue.
std::string due_prefix(base::EndpointId endpoint, model::QueueId queue, model::DueRange range);
std::string due_key(base::EndpointId endpoint, model::QueueId queue, model::DueRange range,
                    const model::DueKey& at);
std::string due_key(const model::Delivery& delivery);

struct DuePlace {
  base::EndpointId endpoint;
  model::QueueId queue;
  model::DueRange range = model::DueRange::kFirst;
  model::DueKey at;
};
std::optional<DuePlace> parse_due_key(std::string_view key);

std::string expiry_key(base::ShardId shard, const model::ExpiryKey& at);
std::string expiry_key(const model::Delivery& delivery);
std::optional<model::ExpiryKey> parse_expiry_key(std::string_view key);

// The line of deliveries that wait for each other.
std::string line_prefix(base::SubscriptionId subscription, base::ObjectId object);
std::string line_key(base::SubscriptionId subscription, base::ObjectId object,
                     base::DeliveryId delivery);
base::DeliveryId delivery_of_line(std::string_view key);

std::string endpoint_key(base::EndpointId endpoint);
std::string history_key(const model::Transition& transition, uint64_t commit, uint32_t index);
inline constexpr size_t kHistoryPrefixSize = 8;  // of one endpoint
base::Instant time_of_history(std::string_view key);

// The beginning of the keys of a tenant, where they begin with it.
std::string tenant_prefix(base::TenantId tenant);
std::string unique_key(base::TenantId tenant, std::string_view key);

enum class RollupKind : uint8_t { kEndpoint = 1, kSubscription = 2 };
std::string rollup_key(base::TenantId tenant, RollupKind kind, uint64_t id, int64_t hour);
inline constexpr size_t kRollupPrefixSize = 8 + 1 + 8;  // of one endpoint or subscription
uint64_t id_of_rollup(std::string_view key);
int64_t hour_of_rollup(std::string_view key);

std::string document_prefix(model::Table table, base::TenantId tenant);
std::string document_key(model::Table table, base::TenantId tenant, std::string_view key);
inline constexpr size_t kDocumentPrefixSize = 1 + 8;  // of one table and tenant
base::TenantId tenant_of_document(std::string_view key);
// The beginning of the keys of all tenants.
std::string table_prefix(model::Table table);

std::string epoch_key(base::ShardId shard);
std::string minute_key(int64_t minute);
int64_t minute_of(std::string_view key);
std::string erasing_key(base::TenantId tenant);
inline constexpr std::string_view kStateKey = "state";
inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kRemovingKey = "removing";
inline constexpr std::string_view kErasingPrefix = "erasing/";
inline constexpr std::string_view kEpochPrefix = "epoch/";
inline constexpr std::string_view kMinutePrefix = "minute/";

// The smallest key that is greater than all that begin with `prefix`; empty if there is none.
std::string after_prefix(std::string prefix);

}  // namespace store
