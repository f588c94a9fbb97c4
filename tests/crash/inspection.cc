#include "tests/crash/inspection.h"

#include <unistd.h>

#include <numeric>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "tests/crash/event_number.h"
#include "tests/crash/report.h"

namespace crash {
namespace {

using model::DueRange;
using model::EndState;

constexpr uint32_t kPage = 1000;
constexpr int kRefusedStatus = 2;
// What was stored but not reported when the process died is above the newest acknowledged.
constexpr base::Sequence kUnreportedMax = 2000;

std::string_view state_of(const store::FoundDelivery& found) {
  if (!found.end) {
    return found.delivery.blocked ? "blocked" : "waiting";
  }
  switch (*found.end) {
    case EndState::kDelivered:
      return "delivered";
    case EndState::kDropped:
      return "dropped";
    case EndState::kCancelled:
      return "cancelled";
  }
  return "?";
}

model::DeliveryChange delivered(const model::Delivery& delivery, base::Instant now) {
  model::DeliveryChange change{.delivery = delivery.id, .owner = model::owner_of(delivery)};
  change.attempt = model::Attempt{.delivery = delivery.id,
                                  .endpoint = delivery.endpoint,
                                  .number = delivery.attempts + 1,
                                  .ordinal = 1,
                                  .started_at = now,
                                  .finished_at = now,
                                  .outcome = {.status = 204}};
  change.end = EndState::kDelivered;
  if (delivery.recorded) {
    change.removed = delivery;
  }
  return change;
}

}  // namespace

Inspection::Inspection(const InspectionOptions& options, store::Engine& engine, store::Store& store,
                       Loop& loop)
    : options_(options), engine_(engine), store_(store), loop_(loop) {}

void Inspection::then(std::function<void()> next) {
  next_ = std::move(next);
  ask();
  loop_.post([this] { answered(); });
}

void Inspection::answered() {
  CHECK_GT(open_questions_, 0U);
  open_questions_ -= 1;
  if (open_questions_ == 0) {
    const auto next = std::exchange(next_, nullptr);
    next();
  }
}

void Inspection::watch_health() {
  const store::Health health = engine_.health();
  if (!health.is_available) {
    say("refused {}", health.reason);
    _exit(kRefusedStatus);
  }
  loop_.call_at(loop_.now() + base::Duration::ms(20), [this] { watch_health(); });
}

void Inspection::start() {
  watch_health();
  std::vector<base::ShardId> shards(base::kShardCount);
  std::iota(shards.begin(), shards.end(), base::ShardId{0});
  store_.acquire(std::move(shards), [this](const std::vector<model::ShardSnapshot>& snapshots) {
    acquired(snapshots);
  });
}

void Inspection::acquired(const std::vector<model::ShardSnapshot>& snapshots) {
  for (const model::ShardSnapshot& snapshot : snapshots) {
    if (!options_.drain) {
      say_snapshot(snapshot);
    }
    Shard& shard = shards_[snapshot.shard];
    shard.epoch = snapshot.epoch;
    for (const model::TailDelivery& tail : snapshot.tail) {
      if (tail.unfinished && !tail.delivery.blocked) {
        shard.reachable.emplace(tail.delivery.id, tail.delivery);
      }
    }
    for (const model::EndpointSnapshot& endpoint : snapshot.endpoints) {
      read_queues(endpoint);
    }
  }
  then([this] { options_.drain ? drain() : read_contents(); });
}

void Inspection::read_queues(const model::EndpointSnapshot& endpoint) {
  for (const model::QueueHead& head : endpoint.queues) {
    for (const DueRange range : {DueRange::kFirst, DueRange::kRetry}) {
      read_queue({.endpoint = endpoint.record.id,
                  .queue = head.queue,
                  .range = range,
                  .from = {},
                  .limit = kPage});
    }
  }
}

void Inspection::say_snapshot(const model::ShardSnapshot& snapshot) {
  if (!snapshot.endpoints.empty() || !snapshot.tail.empty()) {
    say("shard {} {}", snapshot.shard, snapshot.low_water);
  }
  for (const model::EndpointSnapshot& endpoint : snapshot.endpoints) {
    say("endpoint {} {} {}", endpoint.record.id.value, endpoint.record.successes,
        endpoint.record.failures);
  }
  for (const model::TailDelivery& tail : snapshot.tail) {
    if (tail.unfinished) {
      say("tail {}", tail.delivery.id.value);
    } else if (tail.success) {
      say("success {} {} {}", tail.delivery.id.value, tail.success->number,
          tail.success->outcome.status);
    }
  }
}

void Inspection::read_queue(const model::DueQuery& query) {
  ask();
  store_.load_due(query, [this, query](const model::DuePage& page) {
    for (const model::Delivery& delivery : page.deliveries) {
      if (!options_.drain) {
        say("due {}", delivery.id.value);
      }
      shards_.at(delivery.endpoint.shard()).reachable.emplace(delivery.id, delivery);
    }
    if (!page.complete) {
      model::DueQuery rest = query;
      rest.from = page.deliveries.back().key();
      rest.from.delivery.value += 1;
      read_queue(rest);
    }
    answered();
  });
}

// --- drain ---------------------------------------------------------------------------------------

// One section per shard ends everything that can be reached now; what that promotes comes next.
void Inspection::drain() {
  store::Batch batch;
  for (auto& [id, shard] : shards_) {
    if (shard.reachable.empty()) {
      continue;
    }
    model::Section section{.shard = id,
                           .epoch = shard.epoch,
                           .number = shard.next_number++,
                           .deliveries = {},
                           .endpoints = {},
                           .transitions = {},
                           .publishes = {}};
    for (const auto& [delivery_id, delivery] : shard.reachable) {
      section.deliveries.push_back(delivered(delivery, loop_.now()));
    }
    shard.reachable.clear();
    batch.sections.push_back(std::move(section));
  }
  if (batch.sections.empty()) {
    read_contents();
    return;
  }
  store_.commit(loop_.now(), std::move(batch),
                [this](const store::BatchResult& result) { drained(result); });
}

void Inspection::drained(const store::BatchResult& result) {
  for (const store::SectionResult& section : result.sections) {
    CHECK(section.status == store::Status::kCommitted);
    for (const model::Delivery& delivery : section.promoted) {
      shards_.at(section.shard).reachable.emplace(delivery.id, delivery);
    }
  }
  drain();
}

// --- contents ------------------------------------------------------------------------------------

void Inspection::read_contents() {
  for (base::Sequence sequence = 0; sequence <= options_.newest + kUnreportedMax; ++sequence) {
    read_event(sequence);
  }
  read_documents();
  then([this] { say_audit(); });
}

void Inspection::read_event(base::Sequence sequence) {
  ask();
  store_.load_event(sequence, [this, sequence](const std::optional<model::Event>& event) {
    if (event) {
      const std::optional<uint64_t> number = number_in(event->payload);
      const bool is_sound = number && event->payload == payload_of(*number);
      say("event {} {} {:016x} {}", sequence, number ? fmt::format("{}", *number) : "-",
          base::hash_bytes(event->payload), is_sound ? "sound" : "wrong");
      for (uint32_t index = 0; number && index < fan_out_of(*number); ++index) {
        read_delivery(base::DeliveryId::make(sequence, index));
      }
    }
    answered();
  });
}

void Inspection::read_delivery(base::DeliveryId id) {
  ask();
  store_.load_delivery(id, [this, id](const std::optional<store::FoundDelivery>& found) {
    if (found) {
      say("delivery {} {} {}", id.value, state_of(*found), found->delivery.attempts);
    } else {
      say("delivery {} missing 0", id.value);
    }
    answered();
  });
}

void Inspection::read_documents() {
  ask();
  store_.load_documents(
      {.table = model::Table::kSettings, .tenant = {1}, .after = {}, .limit = 100},
      [this](const model::DocumentPage& page) {
        for (const model::Document& document : page.documents) {
          say("document {} {} {:016x}", document.key, document.revision,
              base::hash_bytes(document.value));
        }
        answered();
      });
}

// The engine answers on a thread of its own.
void Inspection::say_audit() {
  engine_.audit([this](base::Result<store::AuditReport> report) {
    loop_.post([this, report = std::move(report)] {
      if (!report.has_value()) {
        say("audit {}", report.error().detail);
      } else {
        say("audit {}", report->ok() ? "ok" : report->problems.front());
      }
      say_totals();
    });
  });
}

void Inspection::say_totals() {
  const store::Totals totals = engine_.standing().totals;
  say("totals {} {} {} {} {} {}", totals.created, totals.delivered, totals.dropped,
      totals.cancelled, totals.expired, totals.events);
  say("inspected");
  loop_.stop();
}

}  // namespace crash
