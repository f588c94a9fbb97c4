#include "store/audit.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "store/codec.h"
#include "store/commit_mark.h"
#include "store/data_directory.h"
#include "store/event_walk.h"
#include "store/reconciliation.h"
#include "store/rollups.h"
#include "store/sealed.h"
#include "store/tables.h"
#include "store/words.h"

namespace store {
namespace {

using base::DeliveryId;
using model::Delivery;
using Side = Reconciliation::Side;

constexpr uint64_t kStopInterval = 4096;  // records between two looks at the clock on the wall

// What never changes while a delivery waits.
uint64_t identity_hash(const Delivery& delivery) {
  uint64_t hash = base::mix(delivery.id.value, delivery.event.value);
  for (const uint64_t field :
       {delivery.endpoint.value, delivery.tenant.value, delivery.subscription.value,
        delivery.object.value, static_cast<uint64_t>(delivery.queued_at.ms()),
        static_cast<uint64_t>(delivery.last_slot.ms()),
        static_cast<uint64_t>(delivery.operational ? 1 : 0)}) {
    hash = base::mix(hash, field);
  }
  return hash;
}

uint64_t whole_hash(const Delivery& delivery) { return checksum(encode_delivery({}, delivery)); }

uint64_t line_hash(const Delivery& delivery) {
  return checksum(line_key(delivery.subscription, delivery.object, delivery.id));
}

uint64_t place_hash(uint64_t line, base::ShardId shard, base::Instant last_slot) {
  return base::mix(line, base::mix(shard, static_cast<uint64_t>(last_slot.ms())));
}

class Audit {
 public:
  Audit(AuditScans& scans, const std::function<bool()>& is_stopped)
      : scans_(scans), is_stopped_(is_stopped) {}

  base::Result<AuditReport> run() {
    TRY([[maybe_unused]] const bool is_counted, read_all());
    compare_totals();
    const auto all = reconciliations();
    if (!std::ranges::all_of(all, &Reconciliation::is_even)) {
      std::ranges::for_each(all, [](Reconciliation* side) { side->begin_naming(); });
      is_naming_ = true;
      TRY([[maybe_unused]] const bool is_named, read_all());
      for (const Reconciliation* const side : all) {
        std::ranges::for_each(side->differences(),
                              [this](std::string& line) { add_problem(std::move(line)); });
      }
    }
    return std::move(report_);
  }

 private:
  std::vector<Reconciliation*> reconciliations() {
    return {&waiting_, &due_, &lines_, &blocked_, &unique_};
  }

  void add_problem(std::string problem) {
    if (report_.problems.size() < AuditReport::kProblemsMax) {
      report_.problems.push_back(std::move(problem));
    } else {
      report_.problems_more += 1;
    }
  }

  // What the second reading finds once more was said the first time.
  void complain(std::string problem) {
    if (!is_naming_) {
      add_problem(std::move(problem));
    }
  }

  base::Result<bool> read_all() {
    TRY([[maybe_unused]] const bool has_meta, read_meta());
    TRY([[maybe_unused]] const bool has_events, read_events());
    TRY([[maybe_unused]] const bool has_expiry, read_expiry());
    TRY([[maybe_unused]] const bool has_due, read_due_index());
    TRY([[maybe_unused]] const bool has_lines, read_lines());
    TRY([[maybe_unused]] const bool has_unique, read_unique());
    if (is_naming_) {
      return true;
    }
    return read_rest();
  }

  // Hands every record of a table to `read`, which answers with an error if it is damaged.
  template <class Read>
  base::Result<bool> each(Family family, const Read& read) {
    Scan& scan = scans_.of(family);
    for (scan.seek({}); scan.is_valid(); scan.next()) {
      TRY([[maybe_unused]] const bool is_going_on, step());
      const auto result = read(scan.key(), scan.value());
      if (!result.has_value()) {
        complain(record_words(family, scan.key()) + ": " + result.error().detail);
      }
    }
    check_end(family, scan.status());
    return true;
  }

  void check_end(Family family, const base::Result<bool>& status) {
    if (!status.has_value()) {
      complain("table " + std::string(kFamilyNames[static_cast<size_t>(family)]) +
               " cannot be read to its end: " + status.error().detail);
    }
  }

  base::Result<bool> step(uint64_t records = 1) {
    const uint64_t before = report_.records;
    report_.records += is_naming_ ? 0 : records;
    steps_ += records;
    if (steps_ / kStopInterval != (steps_ - records) / kStopInterval && is_stopped_()) {
      return base::fail(base::ErrorCode::kUnavailable,
                        "the audit was stopped after " + std::to_string(before) +
                            " records, because the store is being closed or reopened");
    }
    return true;
  }

  // --- The tables, one by one ---

  base::Result<bool> read_meta() {
    return each(Family::kMeta, [this](std::string_view key, std::string_view value) {
      return read_meta_row(key, value);
    });
  }

  base::Result<bool> read_meta_row(std::string_view key, std::string_view value) {
    if (key == kStateKey) {
      TRY(standing_, decode_standing(key, value));
      state_totals();
    } else if (key == kRemovingKey) {
      TRY(removed_, decode_ranges(key, value));
    } else if (key.starts_with(kErasingPrefix)) {
      TRY([[maybe_unused]] const std::vector<SequenceRange> ranges, decode_ranges(key, value));
    } else if (key.starts_with(kMinutePrefix)) {
      TRY(const uint64_t sequence, decode_number(key, value));
      if (sequence < last_minute_sequence_) {
        return base::fail(base::ErrorCode::kCorrupt, "sequences run backwards in time");
      }
      last_minute_sequence_ = sequence;
    } else if (key == kFormatKey || key.starts_with(kEpochPrefix)) {
      TRY([[maybe_unused]] const uint64_t number, decode_number(key, value));
    } else {
      return base::fail(base::ErrorCode::kCorrupt, "nothing of this name is known");
    }
    return true;
  }

  void state_totals() {
    const Totals& totals = standing_.totals;
    report_.commit = standing_.commit;
    report_.expired = totals.expired;
    report_.stated = {.events = totals.events,
                      .deliveries = totals.created - totals.expired,
                      .delivered = totals.delivered,
                      .dropped = totals.dropped,
                      .cancelled = totals.cancelled,
                      .unfinished = totals.unfinished()};
  }

  base::Result<bool> read_events() {
    EventScans& scans = scans_.events();
    scans.events.seek({});
    scans.outcomes.seek({});
    EventWalk walk(scans, {.ranges = removed_, .retained_from = standing_.retained_from},
                   [this](std::string problem) { complain(std::move(problem)); });
    uint64_t read = 0;
    while (walk.next()) {
      TRY([[maybe_unused]] const bool is_going_on, step(walk.records() - read));
      read = walk.records();
      if (!walk.is_damaged()) {
        take_event(walk);
      }
    }
    TRY([[maybe_unused]] const bool is_going_on, step(walk.records() - read));
    check_end(Family::kEvents, scans.events.status());
    check_end(Family::kOutcomes, scans.outcomes.status());
    return true;
  }

  void take_event(const EventWalk& walk) {
    const EventHead& head = walk.head();
    if (walk.sequence() >= standing_.next_sequence) {
      complain("event " + std::to_string(walk.sequence()) + " is newer than the state row");
    }
    if (!head.unique_key.empty()) {
      const std::string key = unique_key(head.tenant, head.unique_key);
      unique_.add(Side::kLeft, checksum(key), base::mix(walk.sequence(), head.digest),
                  [&key] { return record_words(Family::kUnique, key); });
    }
    AuditCounts ignored;
    AuditCounts& counted = is_naming_ ? ignored : report_.counted;
    counted.events += 1;
    counted.deliveries += head.deliveries.size();
    for (size_t index = 0; index < head.deliveries.size(); ++index) {
      take_delivery(head.deliveries[index], walk.fates()[index], counted);
    }
  }

  void take_delivery(const Delivery& delivery, const Fate& fate, AuditCounts& counted) {
    if (!fate.end) {
      counted.unfinished += 1;
      take_unfinished(delivery, fate);
      return;
    }
    counted.delivered += *fate.end == model::EndState::kDelivered ? 1 : 0;
    counted.dropped += *fate.end == model::EndState::kDropped ? 1 : 0;
    counted.cancelled += *fate.end == model::EndState::kCancelled ? 1 : 0;
  }

  // A first attempt above the low-water mark may wait in memory alone, and then has no record.
  void take_unfinished(const Delivery& delivery, const Fate& fate) {
    const auto name = [&delivery] { return delivery_words(delivery.id); };
    const bool needs_record =
        fate.attempts > 0 || delivery.recorded || delivery.id.sequence() < standing_.low_water;
    if (needs_record || has_expiry_record(delivery)) {
      waiting_.add(Side::kLeft, delivery.id.value, identity_hash(delivery), name);
    }
    if (delivery.object.is_set()) {
      const uint64_t place =
          place_hash(line_hash(delivery), delivery.endpoint.shard(), delivery.last_slot);
      lines_.add(Side::kLeft, delivery.id.value, place, name);
    }
  }

  bool has_expiry_record(const Delivery& delivery) {
    const std::string key = expiry_key(delivery);
    scans_.lookup().seek(key);
    return scans_.lookup().is_valid() && scans_.lookup().key() == key;
  }

  base::Result<bool> read_expiry() {
    const auto read = [this](std::string_view key, std::string_view value) -> base::Result<bool> {
      TRY(const Delivery delivery, decode_delivery(key, value));
      if (key != expiry_key(delivery)) {
        return base::fail(base::ErrorCode::kCorrupt, "it belongs under another key");
      }
      const auto name = [&delivery] { return delivery_words(delivery.id); };
      waiting_.add(Side::kRight, delivery.id.value, identity_hash(delivery), name);
      if (delivery.blocked) {
        blocked_.add(Side::kLeft, delivery.id.value, line_hash(delivery), name);
      } else {
        due_.add(Side::kLeft, delivery.id.value, whole_hash(delivery), name);
      }
      return true;
    };
    return each(Family::kExpiry, read);
  }

  base::Result<bool> read_due_index() {
    const auto read = [this](std::string_view key, std::string_view value) -> base::Result<bool> {
      TRY(const Delivery delivery, decode_delivery(key, value));
      if (key != due_key(delivery)) {
        return base::fail(base::ErrorCode::kCorrupt, "it belongs under another key");
      }
      due_.add(Side::kRight, delivery.id.value, whole_hash(delivery),
               [&delivery] { return delivery_words(delivery.id); });
      return true;
    };
    return each(Family::kDue, read);
  }

  // Only the first in a line may be let out.
  base::Result<bool> read_lines() {
    std::string line_before;
    const auto read = [this, &line_before](std::string_view key,
                                           std::string_view value) -> base::Result<bool> {
      TRY(const LineEntry entry, decode_line(key, value));
      const DeliveryId id = delivery_of_line(key);
      const auto name = [id] { return delivery_words(id); };
      const uint64_t hash = checksum(key);
      lines_.add(Side::kRight, id.value, place_hash(hash, entry.shard, entry.last_slot), name);
      const std::string_view line = key.substr(0, key.size() - sizeof id.value);
      if (line == line_before) {
        blocked_.add(Side::kRight, id.value, hash, name);
      }
      line_before = line;
      return true;
    };
    return each(Family::kLines, read);
  }

  base::Result<bool> read_unique() {
    const auto read = [this](std::string_view key, std::string_view value) -> base::Result<bool> {
      TRY(const UniqueEntry entry, decode_unique(key, value));
      unique_.add(Side::kRight, checksum(key), base::mix(entry.sequence, entry.digest),
                  [key] { return record_words(Family::kUnique, key); });
      return true;
    };
    return each(Family::kUnique, read);
  }

  base::Result<bool> read_rest() {
    TRY([[maybe_unused]] const bool has_endpoints, each(Family::kEndpoints, decode_endpoint));
    TRY([[maybe_unused]] const bool has_history, each(Family::kHistory, decode_transition));
    TRY([[maybe_unused]] const bool has_documents, each(Family::kDocuments, decode_document));
    return each(Family::kRollups,
                [](std::string_view, std::string_view value) { return decode_counts(value); });
  }

  // --- The verdict ---

  void compare_totals() {
    const AuditCounts& counted = report_.counted;
    const AuditCounts& stated = report_.stated;
    compare("events", counted.events, stated.events);
    compare("deliveries", counted.deliveries, stated.deliveries);
    compare("delivered", counted.delivered, stated.delivered);
    compare("dropped", counted.dropped, stated.dropped);
    compare("cancelled", counted.cancelled, stated.cancelled);
    compare("unfinished", counted.unfinished, stated.unfinished);
  }

  void compare(std::string_view what, uint64_t counted, uint64_t stated) {
    if (counted != stated) {
      add_problem(std::string(what) + ": counted " + std::to_string(counted) +
                  ", but the totals row states " + std::to_string(stated));
    }
  }

  AuditScans& scans_;
  const std::function<bool()>& is_stopped_;
  AuditReport report_;
  uint64_t steps_ = 0;
  bool is_naming_ = false;
  Standing standing_;
  std::vector<SequenceRange> removed_;
  uint64_t last_minute_sequence_ = 0;

  Reconciliation waiting_{{.only_left = "waits, but has no record in the expiry order",
                           .only_right = "has ended or never was, but is in the expiry order",
                           .different = "is not the same in the expiry order as in its event"}};
  Reconciliation due_{{.only_left = "waits, but has no record in the due index",
                       .only_right = "is in the due index, but not in the expiry order or blocked",
                       .different = "is not the same in the due index as in the expiry order"}};
  Reconciliation lines_{{.only_left = "is ordered and unfinished, but not in its line",
                         .only_right = "has ended or never was, but stands in a line",
                         .different = "is not the same in its line as in its event"}};
  Reconciliation blocked_{{.only_left = "is blocked, but nothing is before it in its line",
                           .only_right = "is not the first in its line, but not blocked",
                           .different = "is blocked in another line than the one it stands in"}};
  Reconciliation unique_{{.only_left = "is missing, though its event is there",
                          .only_right = "stands for an event that is not there",
                          .different = "stands for another event than the one that has this key"}};
};

}  // namespace

AuditScans::AuditScans(const Database& database) : events_(database) {
  for (size_t index = 0; index < kFamilyCount; ++index) {
    scans_.push_back(std::make_unique<Scan>(database, static_cast<Family>(index),
                                            std::string_view(), std::string(),
                                            Scan::Length::kLong));
  }
  lookup_ = std::make_unique<Scan>(database, Family::kExpiry, std::string_view(), std::string());
}

base::Result<AuditReport> audit(AuditScans& scans, const std::function<bool()>& is_stopped) {
  return std::make_unique<Audit>(scans, is_stopped)->run();
}

base::Result<AuditReport> audit_directory(const std::string& directory) {
  TRY([[maybe_unused]] const bool is_free, check_unused(directory));
  TRY(const std::unique_ptr<Database> database,
      Database::open({.directory = database_path(directory), .read_only = true}));
  AuditScans scans(*database);
  TRY(AuditReport report, audit(scans, [] { return false; }));
  TRY(const uint64_t marked, read_commit_mark(mark_path(directory)));
  const auto whole = check_commit_mark(mark_path(directory), marked, report.commit);
  if (!whole.has_value()) {
    report.problems.insert(report.problems.begin(), whole.error().detail);
  }
  return report;
}

}  // namespace store
