// The next few records of one range of one queue's due index, in memory.
//
//      taken or ended | in memory            | on disk only
//   ------------------+----------------------+------------------->  (due, delivery)
//                     begin                  end
//
// Invariant: every record before `end` that is not in flight is in memory; nothing is known of
// records from `end` on, unless the window is complete: then there are none. Loading moves `end`
// on, a full window moves it back. So ten million held deliveries need no memory but an `end`.
//
// A page that was read before a change and arrives after it would break the invariant. Records that
// come during a load pull `end` back before them; when a record goes, the page is asked for again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "core/inputs.h"
#include "model/delivery.h"
#include "model/section.h"

namespace core {

class DueWindow {
 public:
  // A new queue: known to have no records.
  void reset_empty();
  // Nothing is known, except that there is no record before `from`.
  void reset_unknown(model::DueKey from);

  // A record became durable.
  void add(const model::Delivery& delivery, uint32_t capacity);
  // A record went, without having been taken from here. (A taken one goes with `gone` alone.)
  void remove(model::DueKey key);
  // Call when the removal of a record is durable.
  void gone(model::DueKey key);

  const model::Delivery* head() const { return entries_.empty() ? nullptr : &entries_.back(); }
  model::Delivery take_head();

  // Forgets the later records until `capacity` are left.
  void trim(uint32_t capacity);

  // A page should be asked for: few records are left in memory and there may be more that are due.
  bool wants_load(base::Instant now, uint32_t capacity) const;
  // Returns where to read from.
  model::DueKey begin_load(LoadId load);
  bool is_loading() const { return load_ != LoadId::kNone; }
  LoadId load() const { return load_; }
  // The answer. Records for which `is_busy` holds (in flight, ending) are not for the window.
  template <class IsBusy>
  void loaded(const model::DuePage& page, const IsBusy& is_busy, uint32_t capacity);

  // Known to hold nothing, in memory and on disk.
  bool is_empty() const { return entries_.empty() && complete_; }
  // No record is due before this.
  base::Instant next_due() const;
  model::DueKey begin() const { return entries_.empty() ? end_ : entries_.back().key(); }
  bool complete() const { return complete_; }
  size_t size() const { return entries_.size(); }

 private:
  void insert(const model::Delivery& delivery);
  void abandon_load() { load_ = LoadId::kNone; }

  std::vector<model::Delivery> entries_;  // latest first, so that taking the head is cheap
  model::DueKey end_;
  model::DueKey added_;  // during a load: the earliest record that came at or after `end_`
  LoadId load_ = LoadId::kNone;
  bool complete_ = true;
  bool has_added_ = false;
  bool stale_ = false;  // during a load: a record went that the page may show
};

template <class IsBusy>
void DueWindow::loaded(const model::DuePage& page, const IsBusy& is_busy, uint32_t capacity) {
  load_ = LoadId::kNone;
  if (stale_) {
    return;
  }
  complete_ = page.complete;
  if (!page.deliveries.empty()) {
    const model::DueKey last = page.deliveries.back().key();
    end_ = {.due = last.due, .delivery = {last.delivery.value + 1}};
  }
  if (has_added_ && (complete_ || added_ < end_)) {
    end_ = added_;
    complete_ = false;
  }
  for (const model::Delivery& delivery : page.deliveries) {
    if ((complete_ || delivery.key() < end_) && !is_busy(delivery)) {
      insert(delivery);
    }
  }
  trim(capacity);
}

}  // namespace core
