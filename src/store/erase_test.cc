#include "store/erase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/prng.h"
#include "store/bytes.h"
#include "store/codec.h"
#include "store/keys.h"
#include "store/tables.h"
#include "store/upkeep_rig.h"

namespace store {
namespace {

using base::Instant;
using model::Delivery;
using testing::HasSubstr;

constexpr Instant kAt = kRigStart;
constexpr base::TenantId kGone{0x7a6b5c4d3e2f1071};
constexpr uint64_t kEndpointGone = 0xbeef77;

std::string random_bytes(uint64_t seed, size_t words) {
  base::Prng prng(seed);
  std::string bytes;
  for (size_t count = 0; count < words; ++count) {
    bytes += sequence_key(prng.next());
  }
  return bytes;
}

std::string marker(uint64_t seed) { return random_bytes(seed, 8); }

// So much that RocksDB does not compress it, and the marker can be found in its file.
std::string payload() { return random_bytes(9, 400) + marker(1); }

std::string varint_bytes(uint64_t number) {
  std::string bytes;
  ByteWriter(bytes).varint(number);
  return bytes;
}

// Everything by which the tenant could be recognised.
std::vector<std::string> traces() {
  const uint64_t endpoint = UpkeepRig::endpoint(kEndpointGone).value;
  return {marker(1),
          marker(2),
          marker(3),
          tenant_prefix(kGone),
          varint_bytes(kGone.value),
          sequence_key(endpoint),
          varint_bytes(endpoint)};
}

bool has_trace(std::string_view bytes) {
  return std::ranges::any_of(traces(), [&](const std::string& trace) {
    return bytes.find(trace) != std::string_view::npos;
  });
}

// How many records of each table tell of the tenant.
std::map<std::string, int> search_tables(const Database& database) {
  std::map<std::string, int> found;
  for (size_t index = 0; index < kFamilyCount; ++index) {
    Scan scan(database, static_cast<Family>(index), {}, {});
    for (; scan.is_valid(); scan.next()) {
      if (has_trace(scan.key()) || has_trace(scan.value())) {
        found[kFamilyNames[index]] += 1;
      }
    }
  }
  return found;
}

// How many tables and logs in the directory hold what is looked for.
int search_files(const std::string& directory, const std::string& wanted) {
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(database_path(directory))) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    found += bytes.find(wanted) == std::string::npos ? 0 : 1;
  }
  return found;
}

// RocksDB removes files that it needs no more on a thread of its own, soon after it has opened.
bool vanishes_from_files(const std::string& directory, const std::string& wanted) {
  constexpr int kLooksMax = 10'000;  // each reads the whole directory
  for (int look = 0; look < kLooksMax; ++look) {
    if (search_files(directory, wanted) == 0) {
      return true;
    }
    std::this_thread::yield();
  }
  return false;
}

// A tenant with a little of everything, all of it ended, among the events of another.
class EraseTest : public testing::Test {
 protected:
  EraseTest() {
    publish_other();
    const RigEvent event{.tenant = kGone.value,
                         .endpoint = kEndpointGone,
                         .payload = payload(),
                         .unique_key = marker(2)};
    delivered_ = rig_.publish(kAt, event);
    rig_.deliver(kAt, delivered_);
    publish_other();
    RigEvent ordered{.tenant = kGone.value, .endpoint = kEndpointGone, .object = 5};
    const Delivery first = rig_.fail(kAt, rig_.publish(kAt, ordered));
    const Delivery second = rig_.publish(kAt, ordered);
    rig_.end(kAt, first, model::EndState::kDropped);
    rig_.end(kAt, second, model::EndState::kCancelled);
    put_settings(kGone, UpkeepRig::endpoint(kEndpointGone), marker(3));
    put_settings({1}, UpkeepRig::endpoint(1), "of another");
    publish_other();
  }

  void publish_other() {
    others_.push_back(rig_.publish(kAt, {.payload = "of another"}));
    rig_.deliver(kAt, others_.back());
  }

  void put_settings(base::TenantId tenant, base::EndpointId endpoint, const std::string& value) {
    Batch batch;
    model::Section section = rig_.section_of(endpoint.shard(), {});
    model::EndpointRecord record;
    record.id = endpoint;
    record.tenant = tenant;
    section.endpoints.push_back(record);
    section.transitions.push_back({.endpoint = endpoint, .at = kAt});
    batch.sections.push_back(std::move(section));
    for (const model::Table table : {model::Table::kTenants, model::Table::kSecrets}) {
      batch.documents.push_back(
          {.table = table, .tenant = tenant, .key = "k", .value = value, .expected_revision = {}});
    }
    rig_.commit(kAt, std::move(batch));
  }

  base::Result<EraseResult> erase() {
    return UpkeepRig::wait_for<base::Result<EraseResult>>(
        [&](auto done) { rig_.engine().erase_tenant(kGone, std::move(done)); });
  }

  void expect_sound() {
    const AuditReport report = rig_.audit();
    EXPECT_TRUE(report.ok()) << all_problems(report);
  }

  std::map<std::string, int> search_closed() { return search_tables(*rig_.open_raw()); }

  UpkeepRig rig_;
  Delivery delivered_;
  std::vector<Delivery> others_;
};

TEST_F(EraseTest, LeavesNothingOfTheTenantInAnyTable) {
  const std::map<std::string, int> before = search_closed();
  for (const char* const table :
       {"events", "outcomes", "endpoints", "history", "unique", "rollups", "documents"}) {
    EXPECT_TRUE(before.contains(table)) << table;
  }
  rig_.open();
  const auto result = erase();
  ASSERT_TRUE(result.has_value()) << result.error().detail;
  EXPECT_EQ(result->events, 3U);
  EXPECT_EQ(result->deliveries, 3U);
  EXPECT_EQ(result->endpoints, 1U);
  EXPECT_EQ(search_closed(), (std::map<std::string, int>{}));
}

TEST_F(EraseTest, LeavesNothingOfTheTenantInTheFiles) {
  rig_.open();  // some of it into tables, some into the log
  put_settings(kGone, UpkeepRig::endpoint(kEndpointGone), marker(3));
  const std::string directory = rig_.directory();
  for (const uint64_t seed : {1U, 2U, 3U}) {
    EXPECT_GT(search_files(directory, marker(seed)), 0) << seed;
  }
  ASSERT_TRUE(erase().has_value());
  EXPECT_EQ(search_files(directory, marker(1)), 0);
  EXPECT_EQ(search_files(directory, marker(3)), 0);
  rig_.open();
  EXPECT_TRUE(vanishes_from_files(directory, marker(2)))
      << "a new manifest has no bounds of old files";
}

TEST_F(EraseTest, LeavesTheOthersAlone) {
  ASSERT_TRUE(erase().has_value());
  for (const Delivery& delivery : others_) {
    const auto event = rig_.load_event(delivery.id.sequence());
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->payload, "of another");
  }
  const std::unique_ptr<Database> database = rig_.open_raw();
  EXPECT_TRUE(database->get(Family::kEndpoints, endpoint_key(UpkeepRig::endpoint(1)))->has_value());
  EXPECT_TRUE(database->get(Family::kDocuments, document_key(model::Table::kSecrets, {1}, "k"))
                  ->has_value());
}

TEST_F(EraseTest, KeepsTheTotalsBalanced) {
  const Totals before = rig_.engine().standing().totals;
  ASSERT_TRUE(erase().has_value());
  const Totals after = rig_.engine().standing().totals;
  EXPECT_EQ(after.created, before.created);
  EXPECT_EQ(after.expired, 3U);
  EXPECT_EQ(after.unfinished(), 0U);
  expect_sound();
  rig_.open();
  expect_sound();
}

TEST_F(EraseTest, RefusesATenantWithUnfinishedDeliveriesAndChangesNothing) {
  const RigEvent event{.tenant = kGone.value, .endpoint = kEndpointGone};
  const Delivery waiting = rig_.fail(kAt, rig_.publish(kAt, event));
  rig_.raise_low_water(kAt, waiting.id.sequence() + 1);
  const Delivery in_memory = rig_.publish(kAt, event);
  const auto result = erase();
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, base::ErrorCode::kConflict);
  EXPECT_THAT(result.error().detail, HasSubstr("2 unfinished deliveries"));
  EXPECT_TRUE(rig_.load_event(delivered_.id.sequence()).has_value());

  rig_.deliver(kAt, waiting);
  rig_.end(kAt, in_memory, model::EndState::kCancelled);
  ASSERT_TRUE(erase().has_value());
  EXPECT_FALSE(rig_.load_event(waiting.id.sequence()).has_value());
  expect_sound();
}

TEST_F(EraseTest, HasNothingToDoTheSecondTime) {
  ASSERT_TRUE(erase().has_value());
  const auto again = erase();
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->events + again->endpoints + again->rows, 0U);
}

TEST_F(EraseTest, TakesOutcomesAlongThatRetentionHasLeft) {
  const Instant later = kAt + base::Duration::hours(48);
  rig_.raise_low_water(later, others_.back().id.sequence() + 1);
  rig_.retain({.before = later});
  const auto trace = [&] { return search_closed()["outcomes"]; };
  EXPECT_GT(trace(), 0);
  rig_.open();
  ASSERT_TRUE(erase().has_value());
  EXPECT_EQ(trace(), 0);
}

// As after a crash between the commit that deletes the events and the rewriting of their files.
TEST_F(EraseTest, AskedAgainItRewritesWhatTheFirstTimeHasDeleted) {
  rig_.open();
  {
    const std::unique_ptr<Database> database = rig_.open_raw();
    Standing standing = **read_standing({.database = *database});
    standing.totals.events -= 1;
    standing.totals.delivered -= 1;
    standing.totals.expired += 1;
    rocksdb::WriteBatch batch;
    const base::Sequence gone = delivered_.id.sequence();
    batch.Delete(database->family(Family::kEvents), sequence_key(gone));
    batch.Delete(database->family(Family::kOutcomes), outcome_key(delivered_.id, 1));
    batch.Delete(database->family(Family::kUnique), unique_key(kGone, marker(2)));
    const std::string row = erasing_key(kGone);
    batch.Put(row, encode_ranges(row, {{.from = gone, .until = gone + 1}}));
    batch.Put(std::string(kStateKey), encode_standing(kStateKey, standing));
    ASSERT_TRUE(database->db().Write({}, &batch).ok());
  }
  rig_.open();
  expect_sound();
  EXPECT_GT(search_files(rig_.directory(), marker(1)), 0);
  const auto result = erase();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->events, 2U);
  EXPECT_EQ(search_files(rig_.directory(), marker(1)), 0);
  EXPECT_EQ(search_closed(), (std::map<std::string, int>{}));
}

}  // namespace
}  // namespace store
