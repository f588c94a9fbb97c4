// Counts everything that is stored and compares it with what the store says of itself.
//
// One moment is looked at: all scans are made while nothing is written, and they go on showing that
// moment however long the count takes. (Not a snapshot of RocksDB: gate.h says why.) Every record
// of every table is read and its checksum verified. Memory does not grow with the data; see
// reconciliation.h.
//
// What is compared:
// - the totals row with the events, deliveries and ends that are there;
// - unfinished deliveries with the expiry order, that with the due index, ordered ones with their
//   lines: each record has its delivery, each delivery that needs records has them;
// - unique keys with the events that they stand for.
//
// Not compared: the number of unfinished deliveries in an endpoint's record, which is of the time
// of its last checkpoint; recovery counts on from there. It repairs nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/database.h"
#include "store/event_walk.h"
#include "store/standing.h"

namespace store {

struct AuditCounts {
  uint64_t events = 0;
  uint64_t deliveries = 0;  // stored: created, and not expired
  uint64_t delivered = 0;
  uint64_t dropped = 0;
  uint64_t cancelled = 0;
  uint64_t unfinished = 0;

  friend bool operator==(const AuditCounts&, const AuditCounts&) = default;
};

struct AuditReport {
  static constexpr size_t kProblemsMax = 20;

  uint64_t commit = 0;  // the last one that was counted
  AuditCounts stated;   // by the totals row
  AuditCounts counted;
  uint64_t expired = 0;  // removed by retention or an erase: stated only
  uint64_t records = 0;  // read, in all tables
  std::vector<std::string> problems;
  uint64_t problems_more = 0;  // that did not fit

  bool ok() const { return problems.empty(); }
};

// All tables at one moment.
class AuditScans {
 public:
  // Nothing may be written while it is made.
  explicit AuditScans(const Database& database);

  EventScans& events() { return events_; }
  Scan& of(Family family) { return *scans_[static_cast<size_t>(family)]; }
  // A second one of the expiry order, to look single deliveries up.
  Scan& lookup() { return *lookup_; }

 private:
  EventScans events_;
  std::vector<std::unique_ptr<Scan>> scans_;
  std::unique_ptr<Scan> lookup_;
};

// kUnavailable if `is_stopped` says so meanwhile. What is wrong with the data is in the report,
// never an error.
base::Result<AuditReport> audit(AuditScans& scans, const std::function<bool()>& is_stopped);

// Of a data directory that nobody has open, which is not changed. kUnavailable: somebody has.
base::Result<AuditReport> audit_directory(const std::string& directory);

}  // namespace store
