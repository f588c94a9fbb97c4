#include "store/retention.h"

#include <algorithm>
#include <utility>

#include "store/event_walk.h"
#include "store/keys.h"
#include "store/prune.h"
#include "store/retention_cut.h"
#include "store/sweep.h"
#include "store/turn.h"
#include "store/upkeep.h"

namespace store {
namespace {

using base::Sequence;

constexpr uint64_t kSliceEvents = 100'000;
constexpr size_t kRangesMax = 4096;  // between two sweeps

// The ranges of sequences between events that stay.
class Gaps {
 public:
  void stay_at(Sequence sequence) {
    close(sequence);
    from_ = sequence + 1;
  }
  // From here on, as if nothing had been before.
  void begin(Sequence from) {
    ranges_.clear();
    from_ = from;
  }
  std::vector<SequenceRange> up_to(Sequence until) const {
    Gaps closed = *this;
    closed.close(until);
    return std::move(closed.ranges_);
  }
  bool is_full() const { return ranges_.size() >= kRangesMax; }

 private:
  void close(Sequence until) {
    if (from_ < until) {
      ranges_.push_back({.from = from_, .until = until});
    }
  }

  std::vector<SequenceRange> ranges_;
  Sequence from_ = 0;
};

bool has_ended(const EventWalk& walk) {
  return std::ranges::all_of(walk.fates(), [](const Fate& fate) { return fate.end.has_value(); });
}

class Retention {
 public:
  explicit Retention(Upkeep& upkeep) : upkeep_(upkeep) {}

  base::Result<RetentionResult> run(const RetentionLimits& limits) {
    TRY([[maybe_unused]] const bool is_tidy, finish_removal(upkeep_));
    TRY(const Sequence cut, find_cut_now(limits));
    for (Sequence from = 0; from < cut;) {
      TRY(from, remove_slice({.from = from, .until = cut}));
      if (gaps_.is_full() || from == cut) {
        TRY([[maybe_unused]] const bool is_swept, sweep_up_to(from));
      }
    }
    TRY(result_.rows, prune(upkeep_, limits.before));
    result_.retained_from = upkeep_.standing().retained_from;
    return result_;
  }

 private:
  base::Result<Sequence> find_cut_now(const RetentionLimits& limits) {
    TRY(const Gate::Visit visit, upkeep_.stay());
    return find_cut(visit.view().database, limits, upkeep_.standing());
  }

  // Removes what can go from the beginning of `rest`; returns where the next slice begins.
  base::Result<Sequence> remove_slice(const SequenceRange& rest) {
    Removal removal{.retained_from = rest.until};
    {
      TRY(const auto held, upkeep_.hold<EventScans>(rest));
      EventWalk walk(*held.reading, {}, [](const std::string&) {});
      for (uint64_t seen = 1; walk.next(); ++seen) {
        take_event(walk, removal);
        const bool is_full = seen >= kSliceEvents || gaps_.is_full() ||
                             removal.unique_keys.size() >= Upkeep::kSliceKeys;
        if (is_full || upkeep_.wants_out()) {
          removal.retained_from = walk.sequence() + 1;
          break;
        }
      }
      TRY([[maybe_unused]] const bool is_read, walk.status());
    }
    const Sequence until = removal.retained_from;
    TRY([[maybe_unused]] const bool is_removed, commit_removal(std::move(removal)));
    return until;
  }

  void take_event(const EventWalk& walk, Removal& removal) {
    if (walk.is_damaged() || !has_ended(walk)) {
      result_.kept += 1;
      gaps_.stay_at(walk.sequence());
      return;
    }
    count_ends(walk, removal.removed);
    if (!walk.head().unique_key.empty()) {
      removal.unique_keys.push_back(unique_key(walk.head().tenant, walk.head().unique_key));
    }
  }

  base::Result<bool> commit_removal(Removal removal) {
    const bool is_news =
        removal.removed.events > 0 || removal.retained_from > upkeep_.standing().retained_from;
    if (!is_news) {
      return true;
    }
    has_removed_ = has_removed_ || removal.removed.events > 0;
    if (has_removed_) {
      // They begin where the last sweep ended, not where this slice does: a file that lies across
      // the border of two slices, or of two runs, shall go too.
      removal.ranges = gaps_.up_to(removal.retained_from);
    }
    result_.events += removal.removed.events;
    result_.deliveries += removal.removed.ended();
    const uint64_t bytes = 1024 + 64 * removal.unique_keys.size() + 16 * removal.ranges.size();
    return upkeep_.commit([removal = std::move(removal)](Turn& turn) { turn.remove(removal); },
                          bytes);
  }

  base::Result<bool> sweep_up_to(Sequence until) {
    if (std::exchange(has_removed_, false)) {
      TRY(const uint64_t bytes, sweep(upkeep_, gaps_.up_to(until)));
      result_.bytes += bytes;
    }
    gaps_.begin(until);
    return true;
  }

  Upkeep& upkeep_;
  RetentionResult result_;
  Gaps gaps_;
  bool has_removed_ = false;  // since the last sweep
};

}  // namespace

base::Result<RetentionResult> retain(Upkeep& upkeep, const RetentionLimits& limits) {
  return Retention(upkeep).run(limits);
}

}  // namespace store
