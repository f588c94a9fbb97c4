#include "tests/conformance/describe.h"

#include <fmt/format.h>

#include <iterator>

namespace conformance {
namespace {

using conformance::describe;
using model::Delivery;

std::string describe_identity(const Delivery& delivery) {
  return fmt::format(
      "delivery {}.{} event={} endpoint={:x} tenant={} subscription={} object={} queued={} "
      "last_slot={} operational={}",
      delivery.id.sequence(), delivery.id.value & 0xffffU, delivery.event.value,
      delivery.endpoint.value, delivery.tenant.value, delivery.subscription.value,
      delivery.object.value, delivery.queued_at.ms(), delivery.last_slot.ms(),
      delivery.operational);
}

template <class Items, class Describe>
std::string lines(const Items& items, const Describe& describe_one) {
  std::string text;
  for (const auto& item : items) {
    fmt::format_to(std::back_inserter(text), "  {}\n", describe_one(item));
  }
  return text;
}

std::string time_or_none(const std::optional<base::Instant>& at) {
  return at ? fmt::format("{}", at->ms()) : "none";
}

std::string describe(const model::Outcome& outcome) {
  return fmt::format(
      "{}/{}/{}/{}", static_cast<int>(outcome.kind), static_cast<int>(outcome.reason),
      outcome.status,
      outcome.retry_after ? fmt::format("{}", outcome.retry_after->count_ms()) : "none");
}

std::string describe(const model::HourlyWindow& window) {
  std::string text = fmt::format("{}:", window.newest_hour);
  for (const model::RateCount& bucket : window.buckets) {
    fmt::format_to(std::back_inserter(text), " {}/{}", bucket.failures, bucket.attempts);
  }
  return text;
}

std::string describe(const model::Document& document) {
  return fmt::format("document table={} tenant={} key='{}' value='{}' revision={}",
                     static_cast<int>(document.table), document.tenant.value, document.key,
                     document.value, document.revision);
}

std::string describe(const store::PublishResult& result) {
  std::string text = fmt::format("publish status={} repeat={} sequence={} digest={}\n",
                                 static_cast<int>(result.status), result.is_repeat, result.sequence,
                                 result.digest);
  return text + lines(result.deliveries, [&result](const Delivery& delivery) {
           return result.is_repeat ? describe_identity(delivery) : describe(delivery);
         });
}

std::string describe(const store::SectionResult& result) {
  return fmt::format("section shard={} epoch={} number={} status={}\n promoted\n{} published\n{}",
                     result.shard, result.epoch, result.number, static_cast<int>(result.status),
                     describe(result.promoted), describe(result.published));
}

std::string describe(const model::QueueHead& head) {
  return fmt::format("queue {} first={} retry={}", head.queue.value, time_or_none(head.first_due),
                     time_or_none(head.retry_due));
}

std::string describe(const model::EndpointSnapshot& endpoint) {
  return describe(endpoint.record) + "\n" +
         lines(endpoint.queues, [](const model::QueueHead& head) { return describe(head); });
}

std::string describe(const model::TailDelivery& entry) {
  return fmt::format(
      "unfinished={} {} success: {}", entry.unfinished,
      entry.unfinished ? describe(entry.delivery) : describe_identity(entry.delivery),
      entry.success ? describe(*entry.success) : "none");
}

}  // namespace

std::string describe(const Delivery& delivery) {
  return fmt::format("{} queue={} due={} attempts={} range={} recorded={} blocked={}",
                     describe_identity(delivery), delivery.queue.value, delivery.due.ms(),
                     delivery.attempts, static_cast<int>(delivery.range), delivery.recorded,
                     delivery.blocked);
}

std::string describe(const std::vector<Delivery>& deliveries) {
  return lines(deliveries, [](const Delivery& delivery) { return describe(delivery); });
}

std::string describe(const model::Attempt& attempt) {
  return fmt::format(
      "attempt {} of {} at {:x} ordinal={} lane={} probe={} {}..{} outcome={} counting={} {}->{}",
      attempt.number, attempt.delivery.value, attempt.endpoint.value, attempt.ordinal,
      static_cast<int>(attempt.lane), attempt.is_probe, attempt.started_at.ms(),
      attempt.finished_at.ms(), describe(attempt.outcome), static_cast<int>(attempt.counting),
      static_cast<int>(attempt.circuit_before), static_cast<int>(attempt.circuit_after));
}

std::string describe(const model::EndpointRecord& record) {
  std::string text = fmt::format(
      "endpoint {:x} tenant={} state={} paused={} last_failed={} published={} withheld={} at={} "
      "consecutive={} since_enable={}/{} window={}",
      record.id.value, record.tenant.value, static_cast<int>(record.state), record.paused,
      record.last_attempt_failed, record.disabled_was_published, record.publications_withheld,
      record.disabled_published_at.ms(), record.consecutive_failures, record.since_enable.failures,
      record.since_enable.attempts, describe(record.window));
  return text + fmt::format(
                    " successes={} failures={} first={} last_success={} enabled={} disabled={} "
                    "frozen={} released={} not_before={} probe_from={} unfinished={} last={}",
                    record.successes, record.failures, record.first_attempt_at.ms(),
                    record.last_success_at.ms(), record.enabled_at.ms(), record.disabled_at.ms(),
                    record.frozen_at.ms(), record.released_at.ms(), record.not_before.ms(),
                    record.probe_from.ms(), record.unfinished, record.last_queued.value);
}

std::string describe(const model::Event& event) {
  return fmt::format(
      "event tenant={} id='{}' type='{}' object='{}'/'{}' payload='{}' unmatched='{}' "
      "redelivery_of={} trace='{}'",
      event.tenant.value, event.id, event.type, event.object_code, event.object_id, event.payload,
      event.unmatched_reason, event.redelivery_of.value, event.traceparent);
}

std::string describe(const std::optional<model::Event>& event) {
  return event ? describe(*event) : "no event";
}

std::string describe(const std::optional<store::FoundDelivery>& found) {
  if (!found) {
    return "no delivery";
  }
  if (!found->end) {
    return describe(found->delivery);
  }
  return fmt::format("{} ended={}", describe_identity(found->delivery),
                     static_cast<int>(*found->end));
}

std::string describe(const model::DuePage& page) {
  return fmt::format("complete={}\n{}", page.complete, describe(page.deliveries));
}

std::string describe(const model::ExpiryPage& page) {
  return fmt::format("next={}\n{}", page.next.ms(), describe(page.deliveries));
}

std::string describe(const model::DocumentPage& page) {
  return fmt::format(
      "complete={}\n{}", page.complete,
      lines(page.documents, [](const model::Document& document) { return describe(document); }));
}

std::string describe(const store::BatchResult& result) {
  return lines(result.publishes,
               [](const store::PublishResult& publish) { return describe(publish); }) +
         lines(result.sections,
               [](const store::SectionResult& section) { return describe(section); }) +
         fmt::format("documents status={}", static_cast<int>(result.documents));
}

std::string describe(const model::ShardSnapshot& snapshot) {
  return fmt::format(
      "shard {} epoch={} low_water={} next_expiry={}\n{}tail\n{}", snapshot.shard, snapshot.epoch,
      snapshot.low_water, snapshot.next_expiry.ms(),
      lines(snapshot.endpoints,
            [](const model::EndpointSnapshot& endpoint) { return describe(endpoint); }),
      lines(snapshot.tail, [](const model::TailDelivery& entry) { return describe(entry); }));
}

}  // namespace conformance
