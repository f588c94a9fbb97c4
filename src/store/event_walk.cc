#include "store/event_walk.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "store/words.h"

namespace store {
namespace {

using base::DeliveryId;

constexpr size_t kEventKeySize = 8;
constexpr size_t kOutcomeKeySize = 12;

}  // namespace

EventWalk::EventWalk(Scan& events, Scan& outcomes, std::vector<SequenceRange> removed,
                     Complain complain)
    : events_(events),
      outcomes_(outcomes),
      removed_(std::move(removed)),
      complain_(std::move(complain)) {}

bool EventWalk::is_removed(base::Sequence sequence) const {
  return std::ranges::any_of(
      removed_, [sequence](const SequenceRange& range) { return range.contains(sequence); });
}

bool EventWalk::next() {
  while (events_.is_valid()) {
    const bool is_sound = read_event();
    events_.next();
    if (is_sound) {
      read_fates();
      return true;
    }
  }
  pass_strays({std::numeric_limits<uint64_t>::max()});
  return false;
}

base::Result<bool> EventWalk::status() const {
  TRY([[maybe_unused]] const bool has_outcomes, outcomes_.status());
  return events_.status();
}

bool EventWalk::read_event() {
  records_ += 1;
  if (events_.key().size() != kEventKeySize) {
    complain_(record_words(Family::kEvents, events_.key()) + ": the key has the wrong length");
    return false;
  }
  sequence_ = sequence_of(events_.key());
  if (is_removed(sequence_)) {
    return false;
  }
  base::Result<EventHead> head = decode_event_head(events_.key(), events_.value());
  if (!head.has_value()) {
    complain_(record_words(Family::kEvents, events_.key()) + ": " + head.error().detail);
    return false;
  }
  head_ = *std::move(head);
  return true;
}

void EventWalk::read_fates() {
  outcome_keys_.clear();
  fates_.assign(head_.deliveries.size(), {});
  for (size_t index = 0; index < fates_.size(); ++index) {
    const DeliveryId delivery = head_.deliveries[index].id;
    pass_strays(delivery);
    read_fate(delivery, fates_[index]);
  }
}

void EventWalk::read_fate(DeliveryId delivery, Fate& fate) {
  for (; outcomes_.is_valid() && delivery_of_outcome(outcomes_.key()) == delivery;
       outcomes_.next()) {
    records_ += 1;
    outcome_keys_.emplace_back(outcomes_.key());
    const base::Result<OutcomeRecord> outcome = decode_outcome(outcomes_.key(), outcomes_.value());
    if (!outcome.has_value() || outcomes_.key().size() != kOutcomeKeySize) {
      complain_(record_words(Family::kOutcomes, outcomes_.key()) + ": " +
                (outcome.has_value() ? "the key has the wrong length" : outcome.error().detail));
      continue;
    }
    if (fate.end) {
      complain_(delivery_words(delivery) + " went on after it had ended");
    }
    fate.attempts += outcome->attempt ? 1 : 0;
    if (outcome->end) {
      fate.end = outcome->end;
    }
  }
}

void EventWalk::pass_strays(DeliveryId until) {
  for (; outcomes_.is_valid() && delivery_of_outcome(outcomes_.key()) < until; outcomes_.next()) {
    records_ += 1;
    const DeliveryId stray = delivery_of_outcome(outcomes_.key());
    if (!is_removed(stray.sequence())) {
      complain_(record_words(Family::kOutcomes, outcomes_.key()) + ": there is no " +
                delivery_words(stray));
    }
  }
}

}  // namespace store
