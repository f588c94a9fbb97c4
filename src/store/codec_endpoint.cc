// The bytes of an endpoint's record and history.

#include <array>
#include <utility>

#include "store/bytes.h"
#include "store/codec.h"
#include "store/sealed.h"

namespace store {
namespace {

using base::Instant;
using model::EndpointRecord;

constexpr uint8_t kVersion = 1;
constexpr uint8_t kEndpointVersion = 2;
constexpr uint8_t kWaitingCountsSince = 2;

enum EndpointFlag : uint8_t {
  kPaused = 1U << 0U,
  kLastAttemptFailed = 1U << 1U,
  kDisabledWasPublished = 1U << 2U,
};

// All the times of the record, so that writing and reading cannot differ in their order.
template <class Record>
auto times_of(Record& record) {
  return std::array{&record.disabled_published_at,
                    &record.first_attempt_at,
                    &record.last_success_at,
                    &record.enabled_at,
                    &record.disabled_at,
                    &record.frozen_at,
                    &record.released_at,
                    &record.not_before,
                    &record.probe_from};
}

// Most hours of a window are empty: a bit each, then the others.
void put_window(ByteWriter& writer, const model::HourlyWindow& window) {
  uint32_t filled = 0;
  for (uint32_t hour = 0; hour < window.buckets.size(); ++hour) {
    filled |= window.buckets[hour] == model::RateCount{} ? 0U : 1U << hour;
  }
  writer.signed_varint(window.newest_hour).varint(filled);
  for (const model::RateCount& count : window.buckets) {
    if (count != model::RateCount{}) {
      writer.varint(count.attempts).varint(count.failures);
    }
  }
}

model::RateCount get_rate(ByteReader& reader) {
  model::RateCount count;
  count.attempts = static_cast<uint32_t>(reader.varint());
  count.failures = static_cast<uint32_t>(reader.varint());
  return count;
}

model::HourlyWindow get_window(ByteReader& reader) {
  model::HourlyWindow window;
  window.newest_hour = reader.signed_varint();
  const uint64_t filled = reader.varint();
  for (uint32_t hour = 0; hour < window.buckets.size(); ++hour) {
    if ((filled >> hour & 1U) != 0) {
      window.buckets[hour] = get_rate(reader);
    }
  }
  return window;
}

void get_waiting(ByteReader& reader, WaitingCounts& waiting) {
  const uint64_t size = reader.varint();
  for (uint64_t index = 0; index < size && reader.ok(); ++index) {
    WaitingCount& count = waiting.emplace_back();
    count.subscription = {reader.varint()};
    count.hour = reader.signed_varint();
    count.counts = get_counts(reader);
  }
}

bool is_state(uint8_t value) { return value <= static_cast<uint8_t>(model::CircuitState::kFrozen); }

}  // namespace

std::string encode_endpoint(std::string_view key, const EndpointRecord& endpoint,
                            const WaitingCounts& waiting) {
  std::string record = begin_record(kEndpointVersion);
  record.reserve(160);
  ByteWriter writer(record);
  writer.big64(endpoint.id.value).varint(endpoint.tenant.value);
  writer.u8(static_cast<uint8_t>(endpoint.state))
      .u8(static_cast<uint8_t>(flag_if(endpoint.paused, kPaused) |
                               flag_if(endpoint.last_attempt_failed, kLastAttemptFailed) |
                               flag_if(endpoint.disabled_was_published, kDisabledWasPublished)));
  writer.varint(endpoint.publications_withheld)
      .varint(endpoint.consecutive_failures)
      .varint(endpoint.since_enable.attempts)
      .varint(endpoint.since_enable.failures)
      .varint(endpoint.successes)
      .varint(endpoint.failures);
  put_window(writer, endpoint.window);
  for (const Instant* const time : times_of(endpoint)) {
    writer.signed_varint(time->ms());
  }
  writer.varint(endpoint.unfinished).varint(endpoint.last_queued.value);
  writer.varint(waiting.size());
  for (const WaitingCount& count : waiting) {
    writer.varint(count.subscription.value).signed_varint(count.hour);
    put_counts(writer, count.counts);
  }
  seal(key, record);
  return record;
}

base::Result<StoredEndpoint> decode_endpoint(std::string_view key, std::string_view record) {
  TRY(const OpenRecord open, open_record(key, record, kEndpointVersion));
  ByteReader reader(open.fields);
  StoredEndpoint stored;
  EndpointRecord& endpoint = stored.record;
  endpoint.id = {reader.big64()};
  endpoint.tenant = {reader.varint()};
  const uint8_t state = reader.u8();
  const uint8_t flags = reader.u8();
  endpoint.state = static_cast<model::CircuitState>(state);
  endpoint.paused = (flags & kPaused) != 0;
  endpoint.last_attempt_failed = (flags & kLastAttemptFailed) != 0;
  endpoint.disabled_was_published = (flags & kDisabledWasPublished) != 0;
  endpoint.publications_withheld = static_cast<uint32_t>(reader.varint());
  endpoint.consecutive_failures = static_cast<uint32_t>(reader.varint());
  endpoint.since_enable = get_rate(reader);
  endpoint.successes = reader.varint();
  endpoint.failures = reader.varint();
  endpoint.window = get_window(reader);
  for (Instant* const time : times_of(endpoint)) {
    *time = Instant::from_ms(reader.signed_varint());
  }
  endpoint.unfinished = reader.varint();
  endpoint.last_queued = {reader.varint()};
  if (open.version >= kWaitingCountsSince) {
    get_waiting(reader, stored.waiting);
  }
  if (!is_state(state) || !reader.is_complete()) {
    return base::fail(base::ErrorCode::kCorrupt, "the endpoint record is malformed");
  }
  return stored;
}

std::string encode_transition(std::string_view key, const model::Transition& transition) {
  std::string record = begin_record(kVersion);
  ByteWriter writer(record);
  writer.big64(transition.endpoint.value)
      .signed_varint(transition.at.ms())
      .u8(static_cast<uint8_t>(transition.from))
      .u8(static_cast<uint8_t>(transition.to))
      .u8(static_cast<uint8_t>(transition.reason))
      .varint(transition.attempts)
      .varint(transition.failures)
      .varint(transition.consecutive_failures)
      .signed_varint(transition.last_success.ms());
  seal(key, record);
  return record;
}

base::Result<model::Transition> decode_transition(std::string_view key, std::string_view record) {
  TRY(const OpenRecord open, open_record(key, record, kVersion));
  ByteReader reader(open.fields);
  model::Transition transition;
  transition.endpoint = {reader.big64()};
  transition.at = Instant::from_ms(reader.signed_varint());
  const uint8_t from = reader.u8();
  const uint8_t to = reader.u8();
  const uint8_t reason = reader.u8();
  transition.from = static_cast<model::CircuitState>(from);
  transition.to = static_cast<model::CircuitState>(to);
  transition.reason = static_cast<model::TransitionReason>(reason);
  transition.attempts = static_cast<uint32_t>(reader.varint());
  transition.failures = static_cast<uint32_t>(reader.varint());
  transition.consecutive_failures = static_cast<uint32_t>(reader.varint());
  transition.last_success = Instant::from_ms(reader.signed_varint());
  if (!is_state(from) || !is_state(to) ||
      reason > static_cast<uint8_t>(model::TransitionReason::kResumedByHand) ||
      !reader.is_complete()) {
    return base::fail(base::ErrorCode::kCorrupt, "the transition record is malformed");
  }
  return transition;
}

}  // namespace store
