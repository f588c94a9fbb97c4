#include "store/turn.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace store {
namespace {

using base::DeliveryId;
using base::Instant;
using model::Delivery;
using model::DeliveryChange;

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

constexpr int64_t kMinute = 60'000;

// The success of a first attempt that had no due record: its counts may wait for a checkpoint.
bool is_plain_success(const DeliveryChange& change) {
  return change.attempt && change.attempt->number == 1 && is_success(change.attempt->outcome) &&
         !change.removed;
}

}  // namespace

Turn::Turn(const Database& database, const Before& before, rocksdb::WriteBatch& batch)
    : database_(database),
      ledger_(before.ledger),
      standing_(before.standing),
      owners_(before.owners),
      batch_(batch) {
  CHECK_EQ(batch.Count(), 0U);
  standing_.commit += 1;
}

void Turn::put(Family family, std::string_view key, std::string_view value) {
  batch_.Put(database_.family(family), slice(key), slice(value));
}

void Turn::erase(Family family, std::string_view key) {
  batch_.Delete(database_.family(family), slice(key));
}

rocksdb::WriteBatch& Turn::finish() {
  put(Family::kMeta, kStateKey, encode_standing(kStateKey, standing_));
  return batch_;
}

void Turn::settle(RollupLedger& ledger) const {
  for (const auto& [endpoint, waiting] : written_now_) {
    ledger.take({endpoint});
    for (const WaitingCount& count : waiting) {
      ledger.add({endpoint}, count);
    }
  }
  counts_now_.add_to(ledger);
}

// The first commit of a minute leaves a trace from which retention finds its way back in time.
void Turn::note_time(Instant at) {
  at_ = std::max(at, standing_.last_committed);
  const int64_t minute = at_.ms() / kMinute;
  if (minute > standing_.last_committed.ms() / kMinute) {
    const std::string key = minute_key(minute);
    put(Family::kMeta, key, encode_number(key, standing_.next_sequence));
  }
  standing_.last_committed = at_;
}

base::Result<BatchResult> Turn::apply(Instant at, const Batch& batch) {
  note_time(at);
  BatchResult result;
  for (const model::Publish& event : batch.publishes) {
    TRY(PublishResult published, publish(event));
    result.publishes.push_back(std::move(published));
  }
  for (const model::Section& outcomes : batch.sections) {
    TRY(SectionResult written, section(outcomes));
    result.sections.push_back(std::move(written));
  }
  if (!batch.documents.empty()) {
    TRY(result.documents, documents(batch.documents));
  }
  if (batch.low_water) {
    standing_.low_water = std::max(standing_.low_water, *batch.low_water);
  }
  return result;
}

void Turn::acquire(base::ShardId shard) {
  ShardOwner& owner = owners_[shard];
  owner = {.epoch = owner.epoch + 1, .applied = 0, .is_known = true};
  const std::string key = epoch_key(shard);
  put(Family::kMeta, key, encode_number(key, owner.epoch));
}

// --- Publishes ---

base::Result<std::optional<PublishResult>> Turn::find_repeat(std::string_view key) {
  if (const auto now = published_now_.find(key); now != published_now_.end()) {
    PublishResult repeat = now->second;
    repeat.is_repeat = true;
    return std::optional(std::move(repeat));
  }
  TRY(const std::optional<std::string> record, database_.get(Family::kUnique, key));
  if (!record) {
    return std::optional<PublishResult>();
  }
  TRY(const UniqueEntry entry, decode_unique(key, *record));
  PublishResult repeat{.status = Status::kCommitted,
                       .is_repeat = true,
                       .deliveries = {},
                       .sequence = entry.sequence,
                       .digest = entry.digest};
  const std::string event_key = sequence_key(entry.sequence);
  TRY(const std::optional<std::string> event, database_.get(Family::kEvents, event_key));
  if (event) {
    TRY(EventHead head, decode_event_head(event_key, *event));
    repeat.deliveries = std::move(head.deliveries);
  }
  return std::optional(std::move(repeat));
}

base::Result<PublishResult> Turn::publish(const model::Publish& publish) {
  std::string unique;
  if (!publish.unique_key.empty()) {
    unique = unique_key(publish.tenant, publish.unique_key);
    TRY(std::optional<PublishResult> repeat, find_repeat(unique));
    if (repeat) {
      return *std::move(repeat);
    }
  }
  PublishResult result{.status = Status::kCommitted,
                       .is_repeat = false,
                       .deliveries = publish.deliveries,
                       .sequence = standing_.next_sequence,
                       .digest = publish.digest};
  standing_.next_sequence += 1;
  standing_.totals.events += 1;
  standing_.totals.created += result.deliveries.size();
  for (uint32_t index = 0; index < result.deliveries.size(); ++index) {
    Delivery& delivery = result.deliveries[index];
    delivery.id = DeliveryId::make(result.sequence, index);
    TRY([[maybe_unused]] const bool queued, queue(delivery));
  }
  const std::string key = sequence_key(result.sequence);
  record_ = encode_event(key, publish, result.deliveries, std::move(record_));
  put(Family::kEvents, key, record_);
  if (!unique.empty()) {
    put(Family::kUnique, unique,
        encode_unique(unique, {.sequence = result.sequence, .digest = publish.digest}));
    published_now_.emplace(std::move(unique), result);
  }
  return result;
}

// Gives the delivery its place: in its line if it is ordered, in the due index if it wants that.
base::Result<bool> Turn::queue(Delivery& delivery) {
  if (delivery.object.is_set()) {
    const Line line{delivery.subscription, delivery.object};
    TRY(const std::optional<DeliveryId> first, first_in_line(line));
    delivery.blocked = first.has_value();
    delivery.recorded = delivery.recorded || delivery.blocked;
    lines_[line].added.insert(delivery.id);
    ordered_now_[delivery.id] = delivery;
    const std::string key = line_key(delivery.subscription, delivery.object, delivery.id);
    put(Family::kLines, key,
        encode_line(key, {.shard = delivery.endpoint.shard(), .last_slot = delivery.last_slot}));
  }
  if (delivery.recorded) {
    put_waiting(delivery);
  }
  return true;
}

// A blocked delivery is not due, but it can be given up.
void Turn::put_waiting(const Delivery& delivery) {
  if (!delivery.blocked) {
    const std::string due = due_key(delivery);
    put(Family::kDue, due, encode_delivery(due, delivery));
  }
  const std::string expiry = expiry_key(delivery);
  put(Family::kExpiry, expiry, encode_delivery(expiry, delivery));
}

// --- Outcomes ---

base::Result<SectionResult> Turn::section(const model::Section& section) {
  SectionResult result{.shard = section.shard, .epoch = section.epoch, .number = section.number};
  ShardOwner& owner = owners_[section.shard];
  if (section.epoch != owner.epoch || !owner.is_known) {
    result.status = Status::kFenced;
    return result;
  }
  if (section.number <= owner.applied) {
    result.status = Status::kCommitted;
    return result;
  }
  if (section.number != owner.applied + 1) {
    result.status = Status::kFailed;
    return result;
  }
  owner.applied = section.number;
  result.status = Status::kCommitted;
  TRY([[maybe_unused]] const bool written, write_section(section, result));
  return result;
}

base::Result<bool> Turn::write_section(const model::Section& section, SectionResult& result) {
  for (const DeliveryChange& delivery : section.deliveries) {
    TRY([[maybe_unused]] const bool changed, change(delivery, at_, result.promoted));
  }
  std::erase_if(result.promoted, [&section](const Delivery& next) {
    return std::ranges::any_of(section.deliveries, [&next](const DeliveryChange& other) {
      return other.delivery == next.id && other.end;
    });
  });
  for (const model::EndpointRecord& record : section.endpoints) {
    put_endpoint(record);
  }
  for (const model::Transition& transition : section.transitions) {
    // Several sections of one commit may tell of the same endpoint and millisecond.
    const std::string key = history_key(transition, standing_.commit, transitions_++);
    put(Family::kHistory, key, encode_transition(key, transition));
  }
  for (const model::Publish& event : section.publishes) {
    TRY(const PublishResult published, publish(event));
    result.published.insert(result.published.end(), published.deliveries.begin(),
                            published.deliveries.end());
  }
  return true;
}

base::Result<bool> Turn::change(const DeliveryChange& change, Instant at,
                                std::vector<Delivery>& promoted) {
  if (change.removed) {
    const Delivery& before = *change.removed;
    if (!before.blocked || before.object.is_set()) {
      erase(Family::kDue, due_key(before));
    }
    erase(Family::kExpiry, expiry_key(before));
  }
  if (change.placed) {
    put_waiting(*change.placed);
    if (change.placed->object.is_set()) {
      ordered_now_[change.delivery] = *change.placed;
    }
  }
  if (change.attempt || change.end) {
    write_outcome(change, at);
    count(change, at);
  }
  if (change.end) {
    count_end(*change.end);
    if (change.owner.object.is_set()) {
      return leave_line(change.owner, change.delivery, promoted);
    }
  }
  return true;
}

void Turn::write_outcome(const DeliveryChange& change, Instant at) {
  const uint32_t number = change.attempt ? change.attempt->number : kNoAttempt;
  const std::string key = outcome_key(change.delivery, number);
  OutcomeRecord outcome{.endpoint = change.owner.endpoint,
                        .subscription = change.owner.subscription,
                        .attempt = change.attempt,
                        .end = change.end,
                        .next_due = {},
                        .at = change.attempt ? change.attempt->finished_at : at};
  if (change.placed) {
    outcome.next_due = change.placed->due;
  }
  record_ = encode_outcome(key, outcome, std::move(record_));
  put(Family::kOutcomes, key, record_);
}

void Turn::count(const DeliveryChange& change, Instant at) {
  const WaitingCount count{.subscription = change.owner.subscription,
                           .hour = (change.attempt ? change.attempt->finished_at : at).hour(),
                           .counts = counts_of(change)};
  if (is_plain_success(change)) {
    counts_now_.add(change.owner.endpoint, count);
  } else {
    add_rows(change.owner.tenant, change.owner.endpoint, count);
  }
}

void Turn::count_end(model::EndState end) {
  switch (end) {
    case model::EndState::kDelivered:
      standing_.totals.delivered += 1;
      break;
    case model::EndState::kDropped:
      standing_.totals.dropped += 1;
      break;
    case model::EndState::kCancelled:
      standing_.totals.cancelled += 1;
      break;
  }
}

void Turn::add_row(const RollupRow& row, const Counts& counts) {
  batch_.Merge(database_.family(Family::kRollups),
               rollup_key(row.tenant, row.kind, row.id, row.hour), encode_counts(counts));
}

void Turn::add_rows(base::TenantId tenant, base::EndpointId endpoint, const WaitingCount& count) {
  add_row({RollupKind::kEndpoint, tenant, endpoint.value, count.hour}, count.counts);
  add_row({RollupKind::kSubscription, tenant, count.subscription.value, count.hour}, count.counts);
}

// What the record includes that is in no row.
WaitingCounts Turn::counts_for(const model::EndpointRecord& record) {
  const auto written = written_now_.find(record.id.value);
  WaitingCounts waiting =
      written == written_now_.end() ? ledger_.read(record.id) : std::move(written->second);
  for (const WaitingCount& count : counts_now_.take(record.id)) {
    add_count(waiting, count);
  }
  return waiting;
}

void Turn::put_endpoint(const model::EndpointRecord& record) {
  WaitingCounts waiting = counts_for(record);
  std::erase_if(waiting, [this, &record](const WaitingCount& count) {
    const bool is_over = count.hour < at_.hour();
    if (is_over) {
      add_rows(record.tenant, record.id, count);
    }
    return is_over;
  });
  const std::string key = endpoint_key(record.id);
  put(Family::kEndpoints, key, encode_endpoint(key, record, waiting));
  written_now_.insert_or_assign(record.id.value, std::move(waiting));
}

// --- Ordered deliveries ---

base::Result<std::optional<DeliveryId>> Turn::first_in_line(const Line& line) {
  const LineChanges& changes = lines_[line];
  std::optional<DeliveryId> first;
  if (!changes.added.empty()) {
    first = *changes.added.begin();
  }
  const std::string prefix = line_prefix(line.first, line.second);
  Scan scan(database_, Family::kLines, prefix, after_prefix(prefix));
  while (scan.is_valid() && changes.removed.contains(delivery_of_line(scan.key()))) {
    scan.next();
  }
  TRY([[maybe_unused]] const bool is_read, scan.status());
  if (scan.is_valid()) {
    const DeliveryId stored = delivery_of_line(scan.key());
    first = first ? std::min(*first, stored) : stored;
  }
  return first;
}

base::Result<Delivery> Turn::load_ordered(const Line& line, DeliveryId id) {
  if (const auto now = ordered_now_.find(id); now != ordered_now_.end()) {
    return now->second;
  }
  const std::string key = line_key(line.first, line.second, id);
  TRY(const std::optional<std::string> place, database_.get(Family::kLines, key));
  CHECK(place.has_value());
  TRY(const LineEntry entry, decode_line(key, *place));
  const std::string expiry =
      expiry_key(entry.shard, {.last_slot = entry.last_slot, .delivery = id});
  TRY(const std::optional<std::string> record, database_.get(Family::kExpiry, expiry));
  if (!record) {
    return base::fail(base::ErrorCode::kCorrupt, "a delivery that waits in line has no record");
  }
  return decode_delivery(expiry, *record);
}

base::Result<bool> Turn::leave_line(const model::DeliveryOwner& owner, DeliveryId ended,
                                    std::vector<Delivery>& promoted) {
  const Line line{owner.subscription, owner.object};
  TRY(const std::optional<DeliveryId> first, first_in_line(line));
  LineChanges& changes = lines_[line];
  changes.added.erase(ended);
  changes.removed.insert(ended);
  erase(Family::kLines, line_key(line.first, line.second, ended));
  if (first != ended) {
    return true;
  }
  TRY(const std::optional<DeliveryId> next, first_in_line(line));
  if (!next) {
    return true;
  }
  TRY(Delivery delivery, load_ordered(line, *next));
  CHECK(delivery.blocked);
  delivery.blocked = false;
  put_waiting(delivery);
  ordered_now_[delivery.id] = delivery;
  promoted.push_back(delivery);
  return true;
}

// --- Documents ---

base::Result<uint64_t> Turn::revision_of(const std::string& key) {
  if (const auto now = revisions_now_.find(key); now != revisions_now_.end()) {
    return now->second;
  }
  TRY(const std::optional<std::string> record, database_.get(Family::kDocuments, key));
  if (!record) {
    return uint64_t{0};
  }
  TRY(const StoredDocument document, decode_document(key, *record));
  return document.revision;
}

// In the order of the list: a change expects what those before it have made.
base::Result<Status> Turn::documents(const std::vector<model::DocumentChange>& changes) {
  struct Next {
    uint64_t revision = 0;  // 0: deleted
    const std::string* value = nullptr;
  };
  std::map<std::string, Next> next;
  for (const model::DocumentChange& change : changes) {
    std::string key = document_key(change.table, change.tenant, change.key);
    auto entry = next.find(key);
    if (entry == next.end()) {
      TRY(const uint64_t revision, revision_of(key));
      entry = next.emplace(std::move(key), Next{.revision = revision}).first;
    }
    Next& document = entry->second;
    if (change.expected_revision && *change.expected_revision != document.revision) {
      return Status::kConflict;
    }
    document.revision = change.value ? document.revision + 1 : 0;
    document.value = change.value ? &*change.value : nullptr;
  }
  for (const auto& [key, document] : next) {
    if (document.value != nullptr) {
      put(Family::kDocuments, key,
          encode_document(key, {.revision = document.revision, .value = *document.value}));
    } else {
      erase(Family::kDocuments, key);
    }
    revisions_now_[key] = document.revision;
  }
  return Status::kCommitted;
}

// --- Retention and erase ---

void Turn::remove(const Removal& removal) {
  if (!removal.ranges.empty()) {
    put(Family::kMeta, kRemovingKey, encode_ranges(kRemovingKey, removal.ranges));
  }
  for (const std::string& key : removal.unique_keys) {
    erase(Family::kUnique, key);
  }
  Totals& totals = standing_.totals;
  const Totals& removed = removal.removed;
  totals.delivered -= removed.delivered;
  totals.dropped -= removed.dropped;
  totals.cancelled -= removed.cancelled;
  totals.events -= removed.events;
  totals.expired += removed.ended();
  standing_.retained_from = std::max(standing_.retained_from, removal.retained_from);
}

void Turn::erase_endpoint(base::EndpointId endpoint) {
  erase(Family::kEndpoints, endpoint_key(endpoint));
  written_now_.insert_or_assign(endpoint.value, WaitingCounts{});
  counts_now_.take(endpoint);
}

}  // namespace store
