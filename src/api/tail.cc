#include "api/tail.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"

namespace api {
namespace {

constexpr int kRetryAfterSeconds = 10;
constexpr size_t kBytesAtOnce = size_t{16} * 1024;

Problem too_many(std::string_view whose, std::string_view setting) {
  return {.status = 429,
          .code = "too_many_streams",
          .message = fmt::format("{} has as many streams as it may have", whose),
          .field = {},
          .hint = fmt::format("close one that nobody reads, or raise the setting {}", setting),
          .retry_after_seconds = kRetryAfterSeconds};
}

http::Response stream_head() {
  http::Response head{.status = 200, .content_type = "text/event-stream"};
  head.add("Cache-Control", "no-store");
  // A proxy that gathers answers would make the tail a dead one.
  head.add("X-Accel-Buffering", "no");
  return head;
}

// An endpoint's record is in every section that has a transition of it.
base::TenantId tenant_of(const model::Section& section, base::EndpointId endpoint) {
  const auto found = std::ranges::find(section.endpoints, endpoint, &model::EndpointRecord::id);
  CHECK(found != section.endpoints.end());
  return found->tenant;
}

}  // namespace

Tail::Tail(const TailOptions& options, Parts parts) : options_(options), parts_(std::move(parts)) {}

Tail::~Tail() { parts_.scheduler.cancel(heartbeat_); }

std::optional<Problem> Tail::find_problem(base::TenantId tenant) const {
  if (streams_ >= options_.streams_max) {
    return too_many("the server", "stream.max");
  }
  const auto found = readers_.find(tenant);
  if (found != readers_.end() && found->second.size() >= options_.streams_per_tenant_max) {
    return too_many("the tenant", "stream.per_tenant_max");
  }
  return std::nullopt;
}

void Tail::open(const registry::Caller& caller, const TailFilter& filter, Reply& reply,
                bool is_again) {
  const uint64_t number = ++last_number_;
  const http::Stream stream =
      reply.stream(stream_head(), [this, tenant = caller.tenant,
                                   number](http::StreamEnd /*reason*/) { forget(tenant, number); });
  Reader& reader = readers_[caller.tenant].emplace_back(
      Reader{.number = number,
             .caller = caller,
             .filter = filter,
             .queue = TailQueue(reply.request_id(), options_.waiting_bytes_max),
             .stream = stream});
  streams_ += 1;
  reader.queue.greet(is_again);
  send_later();
  if (streams_ == 1) {
    beat_later();
  }
}

void Tail::event_stored(base::Sequence sequence, const std::shared_ptr<const model::Event>& content,
                        const std::vector<model::Delivery>& deliveries) {
  if (streams_ == 0) {
    return;
  }
  tell(
      content->tenant, TailKind::kEventAccepted,
      [&](const TailFilter& filter) { return filter.wants(deliveries); },
      [&] { return accepted_text(sequence, *content, deliveries.size(), parts_.scheduler.now()); });
}

void Tail::section_durable(const model::Section& section) {
  if (streams_ == 0) {
    return;
  }
  for (const model::DeliveryChange& change : section.deliveries) {
    tell_change(change);
  }
  for (const model::Transition& transition : section.transitions) {
    tell_transition(section, transition);
  }
}

void Tail::tell_change(const model::DeliveryChange& change) {
  const auto wants = [&](const TailFilter& filter) { return filter.wants(change.owner); };
  const auto event = [&] { return parts_.recent.find(change.delivery.sequence()); };
  if (change.attempt) {
    tell(change.owner.tenant, TailKind::kAttemptEnded, wants,
         [&] { return attempt_text(change, event().get()); });
  }
  if (change.end) {
    tell(change.owner.tenant, TailKind::kDeliveryEnded, wants, [&] {
      const base::Instant at =
          change.attempt ? change.attempt->finished_at : parts_.scheduler.now();
      return ended_text(change, event().get(), at);
    });
  }
}

void Tail::tell_transition(const model::Section& section, const model::Transition& transition) {
  tell(
      tenant_of(section, transition.endpoint), TailKind::kCircuitChanged,
      [&](const TailFilter& filter) { return filter.wants_circuit_of(transition.endpoint); },
      [&] { return circuit_text(transition, parts_.circuit); });
}

// The text is made at most once, and only for somebody who gets it.
template <class Wants, class Make>
void Tail::tell(base::TenantId tenant, TailKind kind, Wants wants, Make make) {
  const auto found = readers_.find(tenant);
  if (found == readers_.end()) {
    return;
  }
  std::string json;
  for (Reader& reader : found->second) {
    if (!reader.filter.wants(kind) || !wants(reader.filter)) {
      continue;
    }
    if (!reader.queue.has_room(reader.stream.unsent_bytes())) {
      reader.queue.leave_out();
      left_out_ += 1;
      continue;
    }
    if (json.empty()) {
      json = make();
    }
    add(reader, kind, json);
  }
}

// What happens within one turn of the loop leaves in few writes, and what a commit of thousands
// brings does not pile up here.
void Tail::add(Reader& reader, TailKind kind, std::string_view json) {
  reader.queue.add(name_of(kind), json);
  if (reader.queue.size() >= kBytesAtOnce) {
    send(reader);
  } else {
    send_later();
  }
}

void Tail::send_later() {
  if (!will_send_) {
    will_send_ = true;
    parts_.scheduler.post([this] { send(); });
  }
}

void Tail::send() {
  will_send_ = false;
  for (auto& [tenant, readers] : readers_) {
    for (Reader& reader : readers) {
      send(reader);
    }
  }
}

// A stream that has ended takes nothing, and on_end will come, or is on its way.
void Tail::send(Reader& reader) {
  if (!reader.queue.is_empty()) {
    reader.stream.write(reader.queue.take());
  }
}

void Tail::beat() {
  std::vector<http::Stream> unwelcome;
  for (auto& [tenant, readers] : readers_) {
    for (Reader& reader : readers) {
      if (parts_.may_read(reader.caller)) {
        reader.queue.beat(reader.stream.unsent_bytes());
      } else {
        reader.queue.take();
        unwelcome.push_back(reader.stream);
      }
    }
  }
  // Only now: a connection whose stream is finished may go on with a request that opens another.
  for (http::Stream& stream : unwelcome) {
    stream.finish();
  }
  send_later();
  beat_later();
}

void Tail::beat_later() {
  heartbeat_ = parts_.scheduler.call_at(parts_.scheduler.now() + options_.heartbeat, [this] {
    heartbeat_ = base::Scheduler::TimerId::kNone;
    beat();
  });
}

void Tail::forget(base::TenantId tenant, uint64_t number) {
  const auto found = readers_.find(tenant);
  CHECK(found != readers_.end());
  const size_t gone = std::erase_if(
      found->second, [number](const Reader& reader) { return reader.number == number; });
  CHECK_EQ(gone, 1U);
  streams_ -= gone;
  if (found->second.empty()) {
    readers_.erase(found);
  }
  if (streams_ == 0) {
    parts_.scheduler.cancel(std::exchange(heartbeat_, base::Scheduler::TimerId::kNone));
  }
}

}  // namespace api
