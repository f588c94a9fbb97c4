#include "tests/crash/workload.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "tests/crash/event_number.h"
#include "tests/crash/report.h"

namespace crash {
namespace {

using base::Duration;
using model::Delivery;
using model::DueRange;
using model::EndState;
using store::Status;

constexpr uint32_t kPage = 200;
constexpr uint32_t kChangesMax = 12;
constexpr base::Sequence kMarkStep = 50;

std::string_view name_of(Status status) {
  switch (status) {
    case Status::kCommitted:
      return "committed";
    case Status::kFailed:
      return "failed";
    case Status::kFenced:
      return "fenced";
    case Status::kUnknown:
      return "unknown";
    case Status::kConflict:
      return "conflict";
  }
  return "?";
}

std::string state_after(const model::DeliveryChange& change) {
  if (change.end) {
    switch (*change.end) {
      case EndState::kDelivered:
        return "delivered";
      case EndState::kDropped:
        return "dropped";
      case EndState::kCancelled:
        return "cancelled";
    }
  }
  return change.attempt ? fmt::format("retry:{}", change.placed->attempts) : "spilled";
}

void say_section(const model::Section& section) {
  std::string line =
      fmt::format("try section {} {} {}", section.shard, section.epoch, section.number);
  for (const model::DeliveryChange& change : section.deliveries) {
    line += fmt::format(" {}={}", change.delivery.value, state_after(change));
  }
  for (const model::EndpointRecord& record : section.endpoints) {
    line += fmt::format(" e{}:{}:{}", record.id.value, record.successes, record.failures);
  }
  say_line(std::move(line));
}

}  // namespace

Workload::Workload(const WorkloadOptions& options, store::Engine& engine, store::Store& store,
                   Loop& loop)
    : options_(options),
      engine_(engine),
      store_(store),
      loop_(loop),
      prng_(options.seed),
      next_number_(options.first) {
  for (uint64_t number = options.again; number < options.first; ++number) {
    if (number % 2 == 0) {
      numbers_again_.push_back(number);
    }
  }
}

// One after the other: nobody promises in which order a store answers two questions.
void Workload::start() {
  store_.load_documents(
      {.table = model::Table::kSettings, .tenant = {1}, .after = {}, .limit = 100},
      [this](const model::DocumentPage& page) {
        for (const model::Document& document : page.documents) {
          revisions_[document.key] = document.revision;
        }
        take_shards();
      });
}

void Workload::take_shards() {
  store_.acquire(shards_in_use(), [this](const std::vector<model::ShardSnapshot>& snapshots) {
    take_over(snapshots);
    say("ready");
    watch_health();
    for (uint32_t i = 0; i < options_.producers; ++i) {
      publish_next();
    }
  });
}

// --- what an earlier process left ----------------------------------------------------------------

void Workload::take_over(const std::vector<model::ShardSnapshot>& snapshots) {
  for (const model::ShardSnapshot& snapshot : snapshots) {
    shards_[snapshot.shard].epoch = snapshot.epoch;
    mark_ = std::max(mark_, snapshot.low_water);
    newest_ = std::max(newest_, snapshot.low_water);
    for (const model::EndpointSnapshot& endpoint : snapshot.endpoints) {
      take_over_queues(endpoint);
    }
    for (const model::TailDelivery& tail : snapshot.tail) {
      newest_ = std::max(newest_, tail.delivery.id.sequence());
      if (tail.unfinished) {
        take_delivery(tail.delivery);
      }
    }
  }
  // Not before all are here: the low-water mark may not pass those that are yet to come.
  has_taken_over_ = true;
  for (const model::ShardSnapshot& snapshot : snapshots) {
    feed(snapshot.shard);
  }
}

// Only the first page of each: the rest waits for a later process.
void Workload::take_over_queues(const model::EndpointSnapshot& endpoint) {
  records_[endpoint.record.id] = endpoint.record;
  for (const model::QueueHead& head : endpoint.queues) {
    for (const DueRange range : {DueRange::kFirst, DueRange::kRetry}) {
      store_.load_due({.endpoint = endpoint.record.id,
                       .queue = head.queue,
                       .range = range,
                       .from = {},
                       .limit = kPage},
                      [this](const model::DuePage& page) {
                        std::ranges::for_each(page.deliveries, [this](const Delivery& delivery) {
                          take_delivery(delivery);
                        });
                      });
    }
  }
}

void Workload::take_delivery(const Delivery& delivery) {
  if (delivery.blocked || !seen_.insert(delivery.id).second) {
    return;
  }
  if (!delivery.recorded) {
    fresh_.insert(delivery.id.sequence());
  }
  shards_.at(delivery.endpoint.shard()).ready.push_back(delivery);
  feed(delivery.endpoint.shard());
}

// --- producers -----------------------------------------------------------------------------------

void Workload::publish_next() {
  uint64_t number = next_number_;
  if (numbers_again_.empty()) {
    next_number_ += 1;
  } else {
    number = numbers_again_.front();
    numbers_again_.pop_front();
  }
  const model::Publish publish = publish_of(number, loop_.now());
  if (options_.honesty == Honesty::kBeforeCommit) {
    say("ack publish {} 0 {:016x}", number, publish.digest);
  }
  submit_publish(number, publish);
}

void Workload::submit_publish(uint64_t number, const model::Publish& publish) {
  store::Batch batch;
  batch.publishes.push_back(publish);
  store_.commit(loop_.now(), std::move(batch),
                [this, number, publish](const store::BatchResult& result) {
                  publish_done(number, publish, result.publishes.at(0));
                });
}

void Workload::publish_done(uint64_t number, const model::Publish& publish,
                            const store::PublishResult& result) {
  note(publishes_, result.status);
  if (result.status == Status::kCommitted) {
    publish_acknowledged(number, result);
    publish_next();
    return;
  }
  if (options_.honesty == Honesty::kDespiteFailure) {
    say("ack publish {} 0 {:016x}", number, publish.digest);
    again_soon([this] { publish_next(); });
    return;
  }
  again_soon([this, number, publish] { submit_publish(number, publish); });
}

void Workload::publish_acknowledged(uint64_t number, const store::PublishResult& result) {
  if (options_.honesty != Honesty::kBeforeCommit) {
    say("ack publish {} {} {:016x}{}", number, result.sequence, result.digest,
        result.is_repeat ? " again" : "");
  }
  acknowledged_ += 1;
  if (acknowledged_ == options_.acks) {
    loop_.stop();
  }
  if (acknowledged_ % 40 == 0) {
    change_document();
  }
  newest_ = std::max(newest_, result.sequence);
  // Of a repeat the first report, or the take-over of the shards, has brought them.
  if (!result.is_repeat) {
    for (const Delivery& delivery : result.deliveries) {
      take_delivery(delivery);
    }
  }
}

// --- outcomes ------------------------------------------------------------------------------------

void Workload::feed(base::ShardId shard) {
  Shard& state = shards_.at(shard);
  if (!has_taken_over_ || state.is_busy || state.ready.empty()) {
    return;
  }
  const model::Section section = make_section(shard);
  if (section.deliveries.empty()) {
    return;
  }
  state.is_busy = true;
  state.next_number += 1;
  say_section(section);
  submit_section(section);
}

model::Section Workload::make_section(base::ShardId shard) {
  Shard& state = shards_.at(shard);
  model::Section section{.shard = shard,
                         .epoch = state.epoch,
                         .number = state.next_number,
                         .deliveries = {},
                         .endpoints = {},
                         .transitions = {},
                         .publishes = {}};
  while (!state.ready.empty() && section.deliveries.size() < kChangesMax) {
    const Delivery delivery = state.ready.front();
    state.ready.pop_front();
    decide(delivery, section);
  }
  give_records(section);
  return section;
}

void Workload::decide(const Delivery& delivery, model::Section& section) {
  model::DeliveryChange change{.delivery = delivery.id, .owner = model::owner_of(delivery)};
  const uint64_t fate = prng_.below(100);
  if (fate < 55) {
    change.attempt = attempt(delivery, true);
    change.end = EndState::kDelivered;
  } else if (fate < 75) {
    change.attempt = attempt(delivery, false);
    change.placed = delivery;
    change.placed->attempts += 1;
    change.placed->range = DueRange::kRetry;
    change.placed->due = loop_.now() + Duration::minutes(prng_.range(1, 600));
    change.placed->recorded = true;
  } else if (fate < 80) {
    change.attempt = attempt(delivery, false);
    change.end = EndState::kDropped;
  } else if (fate < 85) {
    change.end = EndState::kCancelled;
  } else if (!delivery.recorded) {
    change.placed = delivery;
    change.placed->recorded = true;
  } else {
    return;
  }
  if (delivery.recorded) {
    change.removed = delivery;
  }
  section.deliveries.push_back(change);
}

model::Attempt Workload::attempt(const Delivery& delivery, bool succeeds) {
  model::EndpointRecord& record = records_[delivery.endpoint];
  record.id = delivery.endpoint;
  record.tenant = delivery.tenant;
  (succeeds ? record.successes : record.failures) += 1;
  record.last_attempt_failed = !succeeds;
  record.consecutive_failures = succeeds ? 0 : record.consecutive_failures + 1;
  return {.delivery = delivery.id,
          .endpoint = delivery.endpoint,
          .number = delivery.attempts + 1,
          .ordinal = record.attempts(),
          .started_at = loop_.now(),
          .finished_at = loop_.now(),
          .outcome = {.status = static_cast<uint16_t>(succeeds ? 200 : 503)}};
}

// First successes may leave their endpoint's record for later; everything else brings it.
void Workload::give_records(model::Section& section) {
  const bool may_wait = prng_.chance(50);
  std::set<base::EndpointId> due;
  for (const model::DeliveryChange& change : section.deliveries) {
    if (!change.attempt) {
      continue;
    }
    if (may_wait && change.end == EndState::kDelivered && change.attempt->number == 1) {
      uncounted_[change.attempt->endpoint].insert(change.delivery.sequence());
    } else {
      due.insert(change.attempt->endpoint);
    }
  }
  for (const base::EndpointId endpoint : due) {
    section.endpoints.push_back(records_.at(endpoint));
    if (prng_.chance(2)) {
      section.transitions.push_back({.endpoint = endpoint,
                                     .at = loop_.now(),
                                     .reason = model::TransitionReason::kEnabledByHand});
    }
  }
}

void Workload::submit_section(const model::Section& section) {
  store::Batch batch;
  batch.sections.push_back(section);
  batch.low_water = next_mark();
  store_.commit(loop_.now(), std::move(batch), [this, section](const store::BatchResult& result) {
    section_done(section, result.sections.at(0));
  });
}

void Workload::section_done(const model::Section& section, const store::SectionResult& result) {
  note(sections_, result.status);
  CHECK(result.status != Status::kFenced);
  if (result.status != Status::kCommitted) {
    again_soon([this, section] { submit_section(section); });
    return;
  }
  say("ack section {} {} {}", section.shard, section.epoch, section.number);
  settle(section);
  for (const Delivery& delivery : result.promoted) {
    take_delivery(delivery);
  }
  shards_.at(section.shard).is_busy = false;
  feed(section.shard);
}

void Workload::settle(const model::Section& section) {
  for (const model::DeliveryChange& change : section.deliveries) {
    if (!change.removed) {
      fresh_.erase(fresh_.find(change.delivery.sequence()));
    }
    if (change.placed && prng_.chance(40)) {
      shards_.at(section.shard).ready.push_back(*change.placed);
    }
  }
  for (const model::EndpointRecord& record : section.endpoints) {
    uncounted_.erase(record.id);
  }
}

std::optional<base::Sequence> Workload::next_mark() {
  base::Sequence mark = newest_ + 1;
  if (!fresh_.empty()) {
    mark = std::min(mark, *fresh_.begin());
  }
  for (const auto& [endpoint, sequences] : uncounted_) {
    mark = std::min(mark, *sequences.begin());
  }
  if (mark < mark_ + kMarkStep) {
    return std::nullopt;
  }
  mark_ = mark;
  return mark;
}

// --- documents -----------------------------------------------------------------------------------

void Workload::change_document() {
  if (document_is_busy_) {
    return;
  }
  document_is_busy_ = true;
  const std::string key = fmt::format("setting-{}", prng_.below(5));
  const uint64_t revision = revisions_[key];
  model::DocumentChange change{.table = model::Table::kSettings,
                               .tenant = {1},
                               .key = key,
                               .value = fmt::format("{:016x}", prng_.next()),
                               .expected_revision = revision};
  say("try document {} {} {:016x}", key, revision + 1, base::hash_bytes(*change.value));
  submit_document(change);
}

void Workload::submit_document(const model::DocumentChange& change) {
  store::Batch batch;
  batch.documents.push_back(change);
  store_.commit(loop_.now(), std::move(batch), [this, change](const store::BatchResult& result) {
    document_done(change, result.documents);
  });
}

void Workload::document_done(const model::DocumentChange& change, Status status) {
  if (status == Status::kCommitted) {
    document_is_busy_ = false;
    revisions_[change.key] = *change.expected_revision + 1;
    say("ack document {} {}", change.key, revisions_[change.key]);
  } else if (status == Status::kConflict) {
    check_document(change);
  } else {
    again_soon([this, change] { submit_document(change); });
  }
}

// It conflicts with itself if an attempt whose fate was unknown had stored it.
void Workload::check_document(const model::DocumentChange& change) {
  store_.load_documents(
      {.table = change.table, .tenant = change.tenant, .after = {}, .limit = 100},
      [this, change](const model::DocumentPage& page) {
        const auto found = std::find_if(
            page.documents.begin(), page.documents.end(),
            [&](const model::Document& document) { return document.key == change.key; });
        CHECK(found != page.documents.end());
        CHECK(found->value == *change.value);
        CHECK_EQ(found->revision, *change.expected_revision + 1);
        document_done(change, Status::kCommitted);
      });
}

// --- trouble -------------------------------------------------------------------------------------

void Workload::note(Line& line, Status status) {
  const bool is_down = status != Status::kCommitted;
  if (is_down == line.is_down) {
    return;
  }
  line.is_down = is_down;
  if (is_down) {
    say("down {} {} {}", line.name, name_of(status), engine_.health().reason);
  } else {
    say("up {}", line.name);
  }
}

// What waits inside the store for better times is not reported; its health is.
void Workload::watch_health() {
  note(health_, engine_.health().is_available ? Status::kCommitted : Status::kUnknown);
  loop_.call_at(loop_.now() + Duration::ms(20), [this] { watch_health(); });
}

void Workload::again_soon(base::Scheduler::Task task) {
  loop_.call_at(loop_.now() + Duration::ms(2), std::move(task));
}

}  // namespace crash
