#include "tests/crash/tamper.h"

#include <rocksdb/db.h>

#include <cstdio>
#include <memory>
#include <vector>

#include "store/codec.h"
#include "store/database.h"
#include "store/keys.h"

namespace crash {
namespace {

using store::Database;
using store::Family;

constexpr auto kAny = [](std::string_view, std::string_view) { return true; };

bool has_ended(std::string_view key, std::string_view record) {
  const auto outcome = store::decode_outcome(key, record);
  return outcome.has_value() && outcome->end.has_value();
}

template <class Wanted>
std::vector<std::string> keys_of(const Database& database, Family family, const Wanted& wanted) {
  std::vector<std::string> keys;
  for (store::Scan scan(database, family, {}, {}); scan.is_valid(); scan.next()) {
    if (wanted(scan.key(), scan.value())) {
      keys.emplace_back(scan.key());
    }
  }
  return keys;
}

rocksdb::WriteOptions durably() {
  rocksdb::WriteOptions options;
  options.sync = true;
  return options;
}

bool lose(Database& database, Family family, const std::vector<std::string>& keys) {
  rocksdb::WriteBatch batch;
  for (const std::string& key : keys) {
    batch.Delete(database.family(family), key);
  }
  return !keys.empty() && database.db().Write(durably(), &batch).ok();
}

std::vector<std::string> middle_of(const std::vector<std::string>& keys) {
  return keys.empty() ? keys : std::vector{keys[keys.size() / 2]};
}

bool spoil(Database& database, Family family, const std::vector<std::string>& keys) {
  const auto record = database.get(family, keys.at(0));
  if (!record.has_value() || !record->has_value()) {
    return false;
  }
  std::string spoilt = **record;
  spoilt[spoilt.size() / 2] ^= 1;
  return database.db().Put(durably(), database.family(family), keys.at(0), spoilt).ok();
}

bool make_newer(Database& database) {
  const std::string record = store::encode_number(store::kFormatKey, store::kFormatVersion + 1);
  const rocksdb::Slice key(store::kFormatKey.data(), store::kFormatKey.size());
  return database.db().Put(durably(), database.family(Family::kMeta), key, record).ok();
}

bool tamper_with(Database& database, std::string_view how) {
  if (how == "lose-event") {
    return lose(database, Family::kEvents, middle_of(keys_of(database, Family::kEvents, kAny)));
  }
  if (how == "lose-outcome") {
    return lose(database, Family::kOutcomes,
                middle_of(keys_of(database, Family::kOutcomes, has_ended)));
  }
  if (how == "lose-due") {
    return lose(database, Family::kDue, keys_of(database, Family::kDue, kAny));
  }
  if (how == "spoil-event") {
    return spoil(database, Family::kEvents, middle_of(keys_of(database, Family::kEvents, kAny)));
  }
  return how == "newer-format" && make_newer(database);
}

}  // namespace

bool tamper(const std::string& directory, std::string_view how) {
  auto database = Database::open({.directory = directory + "/db"});
  if (!database.has_value()) {
    std::fprintf(stderr, "%s\n", database.error().detail.c_str());
    return false;
  }
  return tamper_with(**database, how);
}

}  // namespace crash
