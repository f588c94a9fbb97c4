// Hand-made histories for the tests of the checkers: a story tells what happens to a few
// deliveries, and fills in what a correct process would have written, unless told otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/checks/checks.h"

namespace checks {

inline constexpr base::Instant kOrigin = base::Instant::from_ms(1'000 * 3'600'000LL);
inline constexpr base::Duration kLastSlot = base::Duration::ms(173'585'600);

constexpr base::Instant after(int64_t ms) { return kOrigin + base::Duration::ms(ms); }

inline model::Outcome status(uint16_t code, std::optional<base::Duration> retry_after = {}) {
  return {.kind = model::OutcomeKind::kResponse, .status = code, .retry_after = retry_after};
}

class Story {
 public:
  explicit Story(const Settings& settings = {}) : checks_(settings) {}

  struct Wish {
    uint64_t endpoint = 1;
    uint64_t subscription = 1;
    uint64_t object = 0;
    model::DueRange range = model::DueRange::kFirst;
    bool operational = false;
    bool recorded = false;
    base::Duration last_slot = kLastSlot;
  };
  struct Start {
    model::Lane lane = model::Lane::kFresh;
    bool is_probe = false;
    std::optional<uint32_t> number;
  };

  Story& at(int64_t ms) {
    now_ = after(ms);
    return *this;
  }
  template <class EventType>
  Story& tell(EventType event) {
    checks_.observe({.at = now_, .event = std::move(event)});
    return *this;
  }

  Story& queue(uint64_t id) { return queue(id, Wish{}); }
  Story& queue(uint64_t id, const Wish& wish);
  Story& start(uint64_t id) { return start(id, Start{}); }
  Story& start(uint64_t id, const Start& start);
  // A retry, a drained first attempt, a redelivery.
  Story& start_retry(uint64_t id) { return start(id, {.lane = model::Lane::kRetry}); }
  Story& start_probe(uint64_t id) {
    return start(id, {.lane = model::Lane::kRetry, .is_probe = true});
  }
  Story& end(uint64_t id, const model::Outcome& outcome);
  Story& end(uint64_t id, uint16_t code) { return end(id, status(code)); }

  // The section for an attempt that has ended, submitted but not committed.
  Story& write_delivered(uint64_t id) { return submit(ended(id, model::EndState::kDelivered)); }
  Story& write_dropped(uint64_t id) { return submit(ended(id, model::EndState::kDropped)); }
  Story& write_retry(uint64_t id, int64_t due) { return submit(retried(id, due)); }
  // For what the above leave out: transitions, records, wrong numbers.
  model::Section ended(uint64_t id, model::EndState end);
  model::Section retried(uint64_t id, int64_t due);
  model::Section dropped_untried(uint64_t id, model::EndState end = model::EndState::kDropped);
  model::Section changed(const model::Transition& transition);
  Story& submit(model::Section section);
  Story& commit();

  // Whole lives, all within this millisecond.
  Story& deliver(uint64_t id) { return start(id).end(id, 200).write_delivered(id).commit(); }
  Story& fail(uint64_t id, int64_t due) {
    return start(id).end(id, 500).write_retry(id, due).commit();
  }
  Story& command(CommandKind kind, uint64_t endpoint = 1);
  Story& pause() { return by_hand(CommandKind::kPause); }
  Story& resume() { return by_hand(CommandKind::kResume); }
  Story& crash();

  // The next attempts are counted like this.
  Story& counting(model::Counting how) {
    counting_ = how;
    return *this;
  }
  // A transition of endpoint 1 at this moment, with these numbers.
  model::Transition transition(model::CircuitState from, model::CircuitState to,
                               model::TransitionReason reason) const;
  // What is asked and done and durable and answered in one go.
  Story& by_hand(CommandKind kind);
  Story& by_hand(CommandKind kind, const model::Transition& made);

  base::Instant now() const { return now_; }
  static base::EndpointId endpoint(uint64_t number) { return base::EndpointId::make(1, number); }
  // The rules that were broken, each once, joined by spaces; empty if the history is clean.
  std::string broken() const;

 private:
  struct Life {
    model::Delivery delivery;
    model::Attempt attempt;
  };

  model::Section next_section();
  model::DeliveryChange finish_attempt(uint64_t id);

  Checks checks_;
  base::Instant now_ = kOrigin;
  std::map<uint64_t, Life> lives_;
  std::map<base::EndpointId, uint64_t> ordinals_;
  std::map<base::EndpointId, uint64_t> durable_ordinals_;
  std::map<base::EndpointId, bool> paused_;
  std::vector<model::Section> pending_;
  model::Counting counting_ = model::Counting::kFull;
  uint64_t next_number_ = 1;
  uint64_t next_command_ = 1;
};

}  // namespace checks
