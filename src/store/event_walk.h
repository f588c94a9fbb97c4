// Events and what became of their deliveries, side by side in the order of commits: what audit,
// retention and erase are made of. Streams; holds one event at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/delivery.h"
#include "store/codec.h"
#include "store/database.h"
#include "store/standing.h"

namespace store {

// The keys of a range of sequences in one of the two tables that are in commit order.
struct KeyRange {
  std::string from;
  std::string until;
};
KeyRange key_range(Family family, const SequenceRange& range);

// The two tables side by side.
struct EventScans {
  explicit EventScans(const Database& database);
  EventScans(const Database& database, const SequenceRange& range);

  Scan events;
  Scan outcomes;
};

// Of ranges in order, as removals state them.
bool is_in_ranges(const std::vector<SequenceRange>& ranges, base::Sequence sequence);

// What is known of a delivery beside how it was queued.
struct Fate {
  uint32_t attempts = 0;
  std::optional<model::EndState> end;  // none: it is unfinished
};

class EventWalk {
 public:
  // Told in words of records that are damaged or belong to nothing; the walk goes on behind them.
  using Complain = std::function<void(std::string)>;

  // What is there but counts as gone; see retention.h.
  struct Gone {
    std::vector<SequenceRange> ranges = {};  // in order
    base::Sequence retained_from = 0;        // outcomes without an event before it are no wonder
  };

  // The scans must show the same moment and stay where they are while the walk lives.
  EventWalk(EventScans& scans, Gone gone, Complain complain);

  // Goes to the next event; false if there is none. A damaged one is nothing but a sequence.
  bool next();
  bool is_damaged() const { return is_damaged_; }
  // After the last: whether the end was reached, or a block could not be read.
  base::Result<bool> status() const;

  base::Sequence sequence() const { return sequence_; }
  const EventHead& head() const { return head_; }
  const std::vector<Fate>& fates() const { return fates_; }  // of its deliveries
  const std::vector<std::string>& outcome_keys() const { return outcome_keys_; }
  // Keys of outcomes that belong to no event, between the one before and this one; after the last
  // event, behind it.
  const std::vector<std::string>& stray_keys() const { return stray_keys_; }

  uint64_t records() const { return records_; }  // read so far

 private:
  bool is_removed(base::Sequence sequence) const;
  bool read_event();
  void read_head();
  void read_fates();
  void pass_its_outcomes();
  void read_fate(base::DeliveryId delivery, Fate& fate);
  // Outcomes before this delivery that no event has asked for.
  void pass_strays(base::DeliveryId until);

  Scan& events_;
  Scan& outcomes_;
  Gone gone_;
  Complain complain_;
  base::Sequence sequence_ = 0;
  bool is_damaged_ = false;
  EventHead head_;
  std::vector<Fate> fates_;
  std::vector<std::string> outcome_keys_;
  std::vector<std::string> stray_keys_;
  uint64_t records_ = 0;
};

// Adds an event, all of whose deliveries have ended, to what goes.
void count_ends(const EventWalk& walk, Totals& removed);

}  // namespace store
