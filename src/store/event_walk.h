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

// What is known of a delivery beside how it was queued.
struct Fate {
  uint32_t attempts = 0;
  std::optional<model::EndState> end;  // none: it is unfinished
};

class EventWalk {
 public:
  // Told in words of records that are damaged or belong to nothing; the walk goes on behind them.
  using Complain = std::function<void(std::string)>;

  // The scans must show the same moment and stay where they are while the walk lives. `removed`:
  // what is there but counts as gone.
  EventWalk(Scan& events, Scan& outcomes, std::vector<SequenceRange> removed, Complain complain);

  // Goes to the next event; false if there is none.
  bool next();
  // After the last: whether the end was reached, or a block could not be read.
  base::Result<bool> status() const;

  base::Sequence sequence() const { return sequence_; }
  const EventHead& head() const { return head_; }
  const std::vector<Fate>& fates() const { return fates_; }  // of its deliveries
  const std::vector<std::string>& outcome_keys() const { return outcome_keys_; }

  uint64_t records() const { return records_; }  // read so far

 private:
  bool is_removed(base::Sequence sequence) const;
  bool read_event();
  void read_fates();
  void read_fate(base::DeliveryId delivery, Fate& fate);
  // Outcomes before this delivery that no event has asked for.
  void pass_strays(base::DeliveryId until);

  Scan& events_;
  Scan& outcomes_;
  std::vector<SequenceRange> removed_;
  Complain complain_;
  base::Sequence sequence_ = 0;
  EventHead head_;
  std::vector<Fate> fates_;
  std::vector<std::string> outcome_keys_;
  uint64_t records_ = 0;
};

}  // namespace store
