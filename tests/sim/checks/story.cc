#include "tests/sim/checks/story.h"

#include <algorithm>

namespace checks {

Story& Story::queue(uint64_t id, const Wish& wish) {
  model::Delivery delivery{.id = {id},
                           .event = {id},
                           .endpoint = endpoint(wish.endpoint),
                           .tenant = {1},
                           .subscription = {wish.subscription},
                           .object = {wish.object},
                           .queued_at = now_,
                           .due = now_,
                           .last_slot = now_ + wish.last_slot,
                           .range = wish.range,
                           .operational = wish.operational,
                           .recorded = wish.recorded};
  lives_[id] = {.delivery = delivery, .attempt = {}};
  return tell(Queued{.deliveries = {delivery}});
}

Story& Story::start(uint64_t id, const Start& start) {
  Life& life = lives_.at(id);
  const uint32_t number = start.number.value_or(life.delivery.attempts + 1);
  life.attempt = {.delivery = life.delivery.id,
                  .endpoint = life.delivery.endpoint,
                  .number = number,
                  .lane = start.lane,
                  .is_probe = start.is_probe,
                  .started_at = now_};
  return tell(AttemptStarted{
      .delivery = life.delivery, .number = number, .lane = start.lane, .is_probe = start.is_probe});
}

Story& Story::end(uint64_t id, const model::Outcome& outcome) {
  Life& life = lives_.at(id);
  life.attempt.finished_at = now_;
  life.attempt.outcome = outcome;
  return tell(AttemptEnded{
      .delivery = life.delivery.id, .endpoint = life.delivery.endpoint, .outcome = outcome});
}

model::Section Story::next_section() { return {.shard = 1, .epoch = 1, .number = next_number_++}; }

model::DeliveryChange Story::finish_attempt(uint64_t id) {
  Life& life = lives_.at(id);
  life.attempt.ordinal = ++ordinals_[life.delivery.endpoint];
  life.attempt.counting = counting_;
  return {.delivery = life.delivery.id, .attempt = life.attempt};
}

model::Section Story::ended(uint64_t id, model::EndState end) {
  model::Section section = next_section();
  section.deliveries.push_back(finish_attempt(id));
  section.deliveries.back().end = end;
  return section;
}

model::Section Story::retried(uint64_t id, int64_t due) {
  model::Section section = next_section();
  section.deliveries.push_back(finish_attempt(id));
  Life& life = lives_.at(id);
  life.delivery.attempts = life.attempt.number;
  life.delivery.due = after(due);
  life.delivery.range = model::DueRange::kRetry;
  section.deliveries.back().placed = life.delivery;
  return section;
}

model::Section Story::dropped_untried(uint64_t id, model::EndState end) {
  model::Section section = next_section();
  section.deliveries.push_back({.delivery = {id}, .end = end});
  return section;
}

model::Section Story::changed(const model::Transition& transition) {
  model::Section section = next_section();
  section.transitions.push_back(transition);
  return section;
}

Story& Story::submit(model::Section section) {
  pending_.push_back(section);
  return tell(Submitted{.section = std::move(section)});
}

Story& Story::commit() {
  const model::Section section = std::move(pending_.front());
  pending_.erase(pending_.begin());
  for (const model::DeliveryChange& change : section.deliveries) {
    if (change.attempt.has_value()) {
      durable_ordinals_[change.attempt->endpoint] = change.attempt->ordinal;
    }
  }
  return tell(Committed{.shard = section.shard, .epoch = section.epoch, .number = section.number});
}

Story& Story::command(CommandKind kind, uint64_t number) {
  return tell(CommandAsked{.command = next_command_++, .kind = kind, .endpoint = endpoint(number)});
}

model::Transition Story::transition(model::CircuitState from, model::CircuitState to,
                                    model::TransitionReason reason) const {
  return {.endpoint = endpoint(1), .at = now_, .from = from, .to = to, .reason = reason};
}

Story& Story::by_hand(CommandKind kind, const model::Transition& made) {
  const uint64_t command = next_command_;
  return this->command(kind)
      .submit(changed(made))
      .commit()
      .tell(CommandAnswered{.command = command, .answer = CommandAnswer::kDone});
}

Story& Story::by_hand(CommandKind kind) {
  const auto active = model::CircuitState::kActive;
  const auto reason = kind == CommandKind::kPause ? model::TransitionReason::kPausedByHand
                                                  : model::TransitionReason::kResumedByHand;
  return by_hand(kind, transition(active, active, reason));
}

Story& Story::crash() {
  pending_.clear();
  ordinals_ = durable_ordinals_;
  return tell(Crashed{});
}

std::string Story::broken() const {
  std::vector<std::string> rules;
  for (const Violation& violation : checks_.violations()) {
    if (std::ranges::find(rules, violation.rule) == rules.end()) {
      rules.push_back(violation.rule);
    }
  }
  std::string text;
  for (const std::string& rule : rules) {
    text += (text.empty() ? "" : " ") + rule;
  }
  return text;
}

}  // namespace checks
