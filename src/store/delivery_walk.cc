#include "store/delivery_walk.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "store/codec.h"
#include "store/event_walk.h"
#include "store/keys.h"
#include "store/retention_cut.h"

namespace store {
namespace {

using base::DeliveryId;
using base::Instant;
using base::Sequence;
using model::Delivery;
using model::EndState;

constexpr int64_t kMinuteMs = 60'000;
constexpr int64_t kHourMs = 3'600'000;
// A publish may become durable later than it was queued: a full disk makes it wait.
constexpr int64_t kLateMinutes = 10;
// Outcomes that are stepped over one by one before it pays to seek.
constexpr int kStepsMax = 8;

// Behind every key: a scan that begins there costs nothing until it is placed.
std::string far_end() { return std::string(40, '\xff'); }

std::optional<EndState> end_of(std::optional<DeliveryState> state) {
  switch (state.value_or(DeliveryState::kUnfinished)) {
    case DeliveryState::kUnfinished:
      break;
    case DeliveryState::kDelivered:
      return EndState::kDelivered;
    case DeliveryState::kDropped:
      return EndState::kDropped;
    case DeliveryState::kCancelled:
      return EndState::kCancelled;
  }
  return std::nullopt;
}

uint64_t count_of(const Counts& counts, EndState end) {
  switch (end) {
    case EndState::kDelivered:
      return counts.delivered;
    case EndState::kDropped:
      return counts.dropped;
    case EndState::kCancelled:
      break;
  }
  return counts.cancelled;
}

}  // namespace

DeliveryWalk::DeliveryWalk(const Database& database, DeliveryQuery query, WaitingCounts newest)
    : query_(std::move(query)),
      newest_(std::move(newest)),
      events_(database, Family::kEvents, far_end(), {}, Scan::Length::kLong),
      outcomes_(database, Family::kOutcomes, far_end(), {}, Scan::Length::kLong),
      waiting_(database, Family::kExpiry, far_end(), {}),
      meta_(database, Family::kMeta, far_end(), {}),
      rollups_(database, Family::kRollups, far_end(), {}) {}

base::Result<DeliveryPage> DeliveryWalk::read(const Clock& clock) {
  clock_ = &clock;
  deadline_ = clock() + query_.budget.time;
  page_.searched_to = query_.filter.from;
  TRY([[maybe_unused]] const bool has_removed, read_removed());
  TRY([[maybe_unused]] const bool is_narrowed, narrow_by_counts());
  TRY(const Sequence lowest, sequence_at(query_.filter.from));
  TRY(const Sequence above, sequence_after(query_.filter.until));
  below_ = DeliveryId::make(std::min(above, kAllSequences), 0);
  if (query_.before) {
    below_ = std::min(below_, *query_.before);
  }
  if (below_.is_set()) {
    events_.seek_for_prev(sequence_key(DeliveryId{below_.value - 1}.sequence()));
  }
  while (events_.is_valid() && below_.is_set() && sequence_of(events_.key()) >= lowest) {
    TRY(const Step step, look_at_event());
    if (step == Step::kStop) {
      page_.next = below_;
      return std::move(page_);
    }
    events_.prev();
  }
  TRY([[maybe_unused]] const bool is_read, events_.status());
  page_.searched_to = query_.filter.from;
  return std::move(page_);
}

base::Result<bool> DeliveryWalk::read_removed() {
  meta_.seek(kRemovingKey);
  if (meta_.is_valid() && meta_.key() == kRemovingKey) {
    TRY(removed_, decode_ranges(meta_.key(), meta_.value()));
  }
  return meta_.status();
}

// What ended in an hour was queued in it or before.
base::Result<bool> DeliveryWalk::narrow_by_counts() {
  const std::optional<EndState> end = end_of(query_.filter.state);
  if (!end || !query_.filter.endpoint) {
    return true;
  }
  std::optional<int64_t> last;
  for (const WaitingCount& count : newest_) {
    if (count_of(count.counts, *end) > 0) {
      last = std::max(last.value_or(count.hour), count.hour);
    }
  }
  const uint64_t endpoint = query_.filter.endpoint->value;
  const auto row = [&](int64_t hour) {
    return rollup_key(query_.filter.tenant, RollupKind::kEndpoint, endpoint, hour);
  };
  const std::string prefix = row(0).substr(0, kRollupPrefixSize);
  rollups_.seek_for_prev(row(std::numeric_limits<int64_t>::max()));
  for (; rollups_.is_valid() && rollups_.key().starts_with(prefix); rollups_.prev()) {
    records_ += 1;
    TRY(const Counts counts, decode_counts(rollups_.value()));
    if (count_of(counts, *end) > 0) {
      last = std::max(last.value_or(0), hour_of_rollup(rollups_.key()));
      break;
    }
  }
  const Instant until = last ? Instant::from_ms((*last + 1) * kHourMs) : Instant();
  query_.filter.until = std::min(query_.filter.until, until);
  return rollups_.status();
}

// No event that was queued then or later has a lower sequence.
base::Result<Sequence> DeliveryWalk::sequence_at(Instant from) {
  meta_.seek_for_prev(minute_key(std::max<int64_t>(from.ms(), 0) / kMinuteMs));
  TRY([[maybe_unused]] const bool is_read, meta_.status());
  if (!meta_.is_valid() || !meta_.key().starts_with(kMinutePrefix)) {
    return Sequence{0};
  }
  return decode_number(meta_.key(), meta_.value());
}

// No event that was queued before has this sequence or a higher one.
base::Result<Sequence> DeliveryWalk::sequence_after(Instant until) {
  meta_.seek(minute_key(std::max<int64_t>(until.ms(), 0) / kMinuteMs + kLateMinutes + 1));
  TRY([[maybe_unused]] const bool is_read, meta_.status());
  if (!meta_.is_valid() || !meta_.key().starts_with(kMinutePrefix)) {
    return kAllSequences;
  }
  return decode_number(meta_.key(), meta_.value());
}

base::Result<DeliveryWalk::Step> DeliveryWalk::look_at_event() {
  const Sequence sequence = sequence_of(events_.key());
  records_ += 1;
  TRY(const EventHead head, decode_event_head(events_.key(), events_.value()));
  const DeliveryFilter& filter = query_.filter;
  const bool may_hold_wanted = head.tenant == filter.tenant && head.queued_at >= filter.from &&
                               head.queued_at < filter.until && !is_in_ranges(removed_, sequence);
  if (may_hold_wanted) {
    TRY(const Step step, look_at_deliveries(head));
    if (step == Step::kStop) {
      return step;
    }
  }
  below_ = DeliveryId::make(sequence, 0);
  page_.searched_to = head.queued_at;
  return is_spent() ? Step::kStop : Step::kGoOn;
}

// Stops within the event too: its fan-out may be large.
base::Result<DeliveryWalk::Step> DeliveryWalk::look_at_deliveries(const EventHead& head) {
  const auto is_left = [this](const Delivery& delivery) {
    return delivery.id < below_ && is_wanted(delivery);
  };
  if (std::ranges::none_of(head.deliveries, is_left)) {
    return Step::kGoOn;
  }
  if (query_.filter.wants_type) {
    TRY(const model::Event content, decode_event(events_.key(), events_.value()));
    if (!query_.filter.wants_type(content.type)) {
      return Step::kGoOn;
    }
  }
  for (auto delivery = head.deliveries.rbegin(); delivery != head.deliveries.rend(); ++delivery) {
    if (!is_left(*delivery)) {
      continue;
    }
    TRY([[maybe_unused]] const bool is_read, look_at(*delivery));
    below_ = delivery->id;
    if (is_spent()) {
      return Step::kStop;
    }
  }
  return Step::kGoOn;
}

base::Result<bool> DeliveryWalk::look_at(const Delivery& queued) {
  ListedDelivery listed;
  listed.delivery = queued;
  TRY(listed.last, last_outcome(listed));
  if (listed.last) {
    listed.end = listed.last->end;
  }
  if (!is_wanted(listed.end)) {
    return true;
  }
  if (!listed.end) {
    const std::string key = expiry_key(queued);
    waiting_.seek(key);
    records_ += 1;
    TRY([[maybe_unused]] const bool is_read, waiting_.status());
    if (waiting_.is_valid() && waiting_.key() == key) {
      TRY(listed.delivery, decode_delivery(key, waiting_.value()));
    }
  }
  // Only now, for most are not wanted: the payload is in it.
  TRY(model::Event content, decode_event(events_.key(), events_.value()));
  listed.event_id = std::move(content.id);
  listed.event_type = std::move(content.type);
  listed.redelivery_of = content.redelivery_of;
  page_.deliveries.push_back(std::move(listed));
  return true;
}

// The last that is known of it; also fills in how often it was tried.
base::Result<std::optional<OutcomeRecord>> DeliveryWalk::last_outcome(ListedDelivery& listed) {
  const DeliveryId id = listed.delivery.id;
  const auto is_its = [this, id] {
    return outcomes_.is_valid() && delivery_of_outcome(outcomes_.key()) == id;
  };
  place_outcomes(id);
  records_ += 1;
  if (!is_its()) {
    TRY([[maybe_unused]] const bool is_read, outcomes_.status());
    return std::optional<OutcomeRecord>();
  }
  TRY(OutcomeRecord last, decode_outcome(outcomes_.key(), outcomes_.value()));
  if (last.attempt) {
    last.attempt->outcome.detail = nullptr;
  } else {
    outcomes_.prev();
  }
  listed.attempts = is_its() ? number_of_outcome(outcomes_.key()) : 0;
  TRY([[maybe_unused]] const bool is_read, outcomes_.status());
  return std::optional(std::move(last));
}

// At the last outcome of this delivery or, if there is none, of one before it.
void DeliveryWalk::place_outcomes(DeliveryId delivery) {
  const auto is_above = [this, delivery] {
    return outcomes_.is_valid() && delivery_of_outcome(outcomes_.key()) > delivery;
  };
  for (int step = 0; step < kStepsMax && is_above(); ++step) {
    outcomes_.prev();
  }
  if (!outcomes_.is_valid() || is_above()) {
    outcomes_.seek_for_prev(outcome_key(delivery, kNoAttempt));
  }
}

bool DeliveryWalk::is_wanted(const Delivery& delivery) const {
  const DeliveryFilter& filter = query_.filter;
  return (!filter.subscription || delivery.subscription == *filter.subscription) &&
         (!filter.endpoint || delivery.endpoint == *filter.endpoint);
}

bool DeliveryWalk::is_wanted(std::optional<EndState> end) const {
  return !query_.filter.state || end == end_of(query_.filter.state);
}

bool DeliveryWalk::is_spent() const {
  return page_.deliveries.size() >= query_.limit || records_ >= query_.budget.records ||
         (*clock_)() >= deadline_;
}

}  // namespace store
