#include "store/event_walk.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "store/words.h"

namespace store {
namespace {

using base::DeliveryId;

constexpr size_t kOutcomeKeySize = 12;

}  // namespace

KeyRange key_range(Family family, const SequenceRange& range) {
  if (family == Family::kEvents) {
    return {.from = sequence_key(range.from), .until = sequence_key(range.until)};
  }
  return {.from = outcome_key(DeliveryId::make(range.from, 0), 0),
          .until = outcome_key(DeliveryId::make(range.until, 0), 0)};
}

bool is_in_ranges(const std::vector<SequenceRange>& ranges, base::Sequence sequence) {
  const auto range = std::ranges::upper_bound(ranges, sequence, {}, &SequenceRange::until);
  return range != ranges.end() && range->contains(sequence);
}

EventScans::EventScans(const Database& database)
    : events(database, Family::kEvents, {}, {}, Scan::Length::kLong),
      outcomes(database, Family::kOutcomes, {}, {}, Scan::Length::kLong) {}

EventScans::EventScans(const Database& database, const SequenceRange& range)
    : events(database, Family::kEvents, key_range(Family::kEvents, range).from,
             key_range(Family::kEvents, range).until, Scan::Length::kLong),
      outcomes(database, Family::kOutcomes, key_range(Family::kOutcomes, range).from,
               key_range(Family::kOutcomes, range).until, Scan::Length::kLong) {}

EventWalk::EventWalk(EventScans& scans, Gone gone, Complain complain)
    : events_(scans.events),
      outcomes_(scans.outcomes),
      gone_(std::move(gone)),
      complain_(std::move(complain)) {}

bool EventWalk::is_removed(base::Sequence sequence) const {
  return is_in_ranges(gone_.ranges, sequence);
}

bool EventWalk::next() {
  stray_keys_.clear();
  while (events_.is_valid()) {
    const bool is_event = read_event();
    events_.next();
    if (is_event) {
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
  if (events_.key().size() != kSequenceKeySize) {
    complain_(record_words(Family::kEvents, events_.key()) + ": the key has the wrong length");
    return false;
  }
  sequence_ = sequence_of(events_.key());
  if (is_removed(sequence_)) {
    return false;
  }
  read_head();
  return true;
}

void EventWalk::read_head() {
  base::Result<EventHead> head = decode_event_head(events_.key(), events_.value());
  is_damaged_ = !head.has_value();
  if (is_damaged_) {
    complain_(record_words(Family::kEvents, events_.key()) + ": " + head.error().detail);
    head_ = {};
  } else {
    head_ = *std::move(head);
  }
}

void EventWalk::read_fates() {
  outcome_keys_.clear();
  fates_.assign(head_.deliveries.size(), {});
  for (size_t index = 0; index < fates_.size(); ++index) {
    const DeliveryId delivery = head_.deliveries[index].id;
    pass_strays(delivery);
    read_fate(delivery, fates_[index]);
  }
  if (is_damaged_) {
    pass_strays(DeliveryId::make(sequence_, 0));
    pass_its_outcomes();
  }
}

// Whose they are cannot be told any more, but there is no need to complain twice.
void EventWalk::pass_its_outcomes() {
  for (; outcomes_.is_valid() && delivery_of_outcome(outcomes_.key()).sequence() == sequence_;
       outcomes_.next()) {
    records_ += 1;
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
    stray_keys_.emplace_back(outcomes_.key());
    if (stray.sequence() >= gone_.retained_from && !is_removed(stray.sequence())) {
      complain_(record_words(Family::kOutcomes, outcomes_.key()) + ": there is no " +
                delivery_words(stray));
    }
  }
}

void count_ends(const EventWalk& walk, Totals& removed) {
  removed.events += 1;
  for (const Fate& fate : walk.fates()) {
    removed.delivered += fate.end == model::EndState::kDelivered ? 1 : 0;
    removed.dropped += fate.end == model::EndState::kDropped ? 1 : 0;
    removed.cancelled += fate.end == model::EndState::kCancelled ? 1 : 0;
  }
}

}  // namespace store
