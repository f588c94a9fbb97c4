#include "store/codec.h"

#include <array>
#include <memory>
#include <utility>

#include "store/bytes.h"
#include "store/sealed.h"

namespace store {
namespace {

using base::Duration;
using base::Instant;
using model::Delivery;

constexpr uint8_t kVersion = 1;
constexpr uint8_t kEventVersion = 2;
constexpr uint8_t kTraceparentSince = 2;

std::unexpected<base::Error> malformed(std::string_view what) {
  return base::fail(base::ErrorCode::kCorrupt, "the " + std::string(what) + " record is malformed");
}

std::string sealed(std::string_view key, std::string record) {
  seal(key, record);
  return record;
}

void put_time(ByteWriter& writer, Instant at) { writer.signed_varint(at.ms()); }
Instant get_time(ByteReader& reader) { return Instant::from_ms(reader.signed_varint()); }

// "never" and the like would overflow as a difference: wraps, and wraps back.
void put_offset(ByteWriter& writer, Instant at, Instant from) {
  writer.signed_varint(
      static_cast<int64_t>(static_cast<uint64_t>(at.ms()) - static_cast<uint64_t>(from.ms())));
}
Instant get_offset(ByteReader& reader, Instant from) {
  return Instant::from_ms(static_cast<int64_t>(static_cast<uint64_t>(reader.signed_varint()) +
                                               static_cast<uint64_t>(from.ms())));
}

// Enumerators beyond the last one make the record malformed.
template <class Enum>
Enum get_enum(uint64_t value, Enum last, bool& ok) {
  if (value > static_cast<uint64_t>(last)) {
    ok = false;
    return Enum{};
  }
  return static_cast<Enum>(value);
}

enum DeliveryFlag : uint8_t {
  kOwnQueue = 1U << 0U,
  kOrdered = 1U << 1U,
  kOperational = 1U << 2U,
  kRecorded = 1U << 3U,
  kBlocked = 1U << 4U,
  kInRetryRange = 1U << 5U,
  kOtherEvent = 1U << 6U,  // a redelivery: of an event published before
};

// Everything but id and tenant, relative to the event it came with.
void put_delivery(ByteWriter& writer, const Delivery& delivery, base::EventId event,
                  Instant queued_at) {
  uint8_t flags = 0;
  const auto flag = [&flags](bool is_set, DeliveryFlag bit) {
    flags = static_cast<uint8_t>(flags | flag_if(is_set, bit));
  };
  flag(delivery.queue != model::kSharedQueue, kOwnQueue);
  flag(delivery.object.is_set(), kOrdered);
  flag(delivery.operational, kOperational);
  flag(delivery.recorded, kRecorded);
  flag(delivery.blocked, kBlocked);
  flag(delivery.range == model::DueRange::kRetry, kInRetryRange);
  flag(delivery.event != event, kOtherEvent);
  writer.u8(flags).big64(delivery.endpoint.value).varint(delivery.subscription.value);
  put_offset(writer, delivery.queued_at, queued_at);
  put_offset(writer, delivery.due, delivery.queued_at);
  put_offset(writer, delivery.last_slot, delivery.queued_at);
  writer.varint(delivery.attempts);
  if ((flags & kOwnQueue) != 0) {
    writer.varint(delivery.queue.value);
  }
  if ((flags & kOrdered) != 0) {
    writer.big64(delivery.object.value);
  }
  if ((flags & kOtherEvent) != 0) {
    writer.big64(delivery.event.value);
  }
}

Delivery get_delivery(ByteReader& reader, base::EventId event, Instant queued_at) {
  Delivery delivery;
  const uint8_t flags = reader.u8();
  delivery.operational = (flags & kOperational) != 0;
  delivery.recorded = (flags & kRecorded) != 0;
  delivery.blocked = (flags & kBlocked) != 0;
  delivery.range = (flags & kInRetryRange) != 0 ? model::DueRange::kRetry : model::DueRange::kFirst;
  delivery.endpoint = {reader.big64()};
  delivery.subscription = {reader.varint()};
  delivery.queued_at = get_offset(reader, queued_at);
  delivery.due = get_offset(reader, delivery.queued_at);
  delivery.last_slot = get_offset(reader, delivery.queued_at);
  delivery.attempts = static_cast<uint32_t>(reader.varint());
  delivery.queue = (flags & kOwnQueue) != 0 ? model::QueueId{reader.varint()} : model::kSharedQueue;
  delivery.object = {(flags & kOrdered) != 0 ? reader.big64() : 0};
  delivery.event = (flags & kOtherEvent) != 0 ? base::EventId{reader.big64()} : event;
  return delivery;
}

void put_content(ByteWriter& writer, const model::Event* content) {
  writer.u8(content != nullptr ? 1 : 0);
  if (content != nullptr) {
    writer.text(content->id)
        .text(content->type)
        .text(content->object_code)
        .text(content->object_id)
        .text(content->unmatched_reason)
        .varint(content->redelivery_of.value)
        .text(content->payload)
        .text(content->traceparent);
  }
}

model::Event get_content(ByteReader& reader, base::TenantId tenant, uint8_t version) {
  model::Event content;
  content.tenant = tenant;
  if (reader.u8() == 0) {
    return content;
  }
  content.id = reader.text();
  content.type = reader.text();
  content.object_code = reader.text();
  content.object_id = reader.text();
  content.unmatched_reason = reader.text();
  content.redelivery_of = {reader.varint()};
  content.payload = reader.text();
  if (version >= kTraceparentSince) {
    content.traceparent = reader.text();
  }
  return content;
}

// Leaves the reader at the content.
std::optional<EventHead> get_event_head(ByteReader& reader, std::string_view key) {
  EventHead head;
  const base::Sequence sequence = ByteReader(key).big64();
  head.event = {reader.big64()};
  head.tenant = {reader.varint()};
  head.queued_at = get_time(reader);
  head.digest = reader.big64();
  head.unique_key = reader.text();
  const uint64_t count = reader.varint();
  // Each takes more than ten bytes: a count beyond that is not one that we wrote.
  if (!reader.ok() || count > reader.rest().size() || count > base::DeliveryId::kFanOutMax ||
      sequence >= (uint64_t{1} << 48U)) {
    return std::nullopt;
  }
  head.deliveries.reserve(count);
  for (uint32_t index = 0; index < count; ++index) {
    Delivery& delivery =
        head.deliveries.emplace_back(get_delivery(reader, head.event, head.queued_at));
    delivery.id = base::DeliveryId::make(sequence, index);
    delivery.tenant = head.tenant;
  }
  return reader.ok() ? std::optional(std::move(head)) : std::nullopt;
}

}  // namespace

std::string encode_event(std::string_view key, const model::Publish& publish,
                         const std::vector<Delivery>& deliveries, std::string room) {
  std::string record = begin_record(kEventVersion, std::move(room));
  const size_t payload = publish.content ? publish.content->payload.size() : 0;
  record.reserve(160 + payload + deliveries.size() * 40);
  ByteWriter writer(record);
  writer.big64(publish.event.value).varint(publish.tenant.value);
  put_time(writer, publish.queued_at);
  writer.big64(publish.digest).text(publish.unique_key).varint(deliveries.size());
  for (const Delivery& delivery : deliveries) {
    put_delivery(writer, delivery, publish.event, publish.queued_at);
  }
  put_content(writer, publish.content.get());
  return sealed(key, std::move(record));
}

base::Result<EventHead> decode_event_head(std::string_view key, std::string_view record) {
  TRY(const OpenRecord open, open_record(key, record, kEventVersion));
  ByteReader reader(open.fields);
  std::optional<EventHead> head = get_event_head(reader, key);
  if (!head) {
    return malformed("event");
  }
  return *std::move(head);
}

base::Result<model::Event> decode_event(std::string_view key, std::string_view record) {
  TRY(const OpenRecord open, open_record(key, record, kEventVersion));
  ByteReader reader(open.fields);
  const std::optional<EventHead> head = get_event_head(reader, key);
  if (!head) {
    return malformed("event");
  }
  model::Event content = get_content(reader, head->tenant, open.version);
  if (!reader.is_complete()) {
    return malformed("event");
  }
  return content;
}

namespace {

enum OutcomeFlag : uint8_t {
  kHasAttempt = 1U << 0U,
  kHasEnd = 1U << 1U,
  kHasNextDue = 1U << 2U,
};
enum AttemptFlag : uint8_t {
  kRetryLane = 1U << 0U,
  kProbe = 1U << 1U,
  kHasRetryAfter = 1U << 2U,
  kHasDetail = 1U << 3U,
};

// All the phases, so that writing and reading cannot differ in their order.
template <class Phases>
auto phases_of(Phases& phases) {
  return std::array{&phases.dns,   &phases.connect, &phases.tls,
                    &phases.write, &phases.head,    &phases.body};
}

void put_detail(ByteWriter& writer, const model::AttemptDetail& detail) {
  for (const Duration* const phase : phases_of(detail.phases)) {
    writer.signed_varint(phase->count_ms());
  }
  writer.u8(static_cast<uint8_t>(flag_if(detail.is_reused_connection, 1) |
                                 flag_if(detail.is_body_cut, 2)));
  writer.text(detail.remote_address)
      .text(detail.response_headers)
      .text(detail.response_body)
      .text(detail.explanation);
}

std::shared_ptr<const model::AttemptDetail> get_detail(ByteReader& reader) {
  auto detail = std::make_shared<model::AttemptDetail>();
  for (Duration* const phase : phases_of(detail->phases)) {
    *phase = Duration::ms(reader.signed_varint());
  }
  const uint8_t flags = reader.u8();
  detail->is_reused_connection = (flags & 1U) != 0;
  detail->is_body_cut = (flags & 2U) != 0;
  detail->remote_address = reader.text();
  detail->response_headers = reader.text();
  detail->response_body = reader.text();
  detail->explanation = reader.text();
  return detail;
}

void put_attempt(ByteWriter& writer, const model::Attempt& attempt, Instant at) {
  const model::Outcome& outcome = attempt.outcome;
  const auto flags = static_cast<uint8_t>(flag_if(attempt.lane == model::Lane::kRetry, kRetryLane) |
                                          flag_if(attempt.is_probe, kProbe) |
                                          flag_if(outcome.retry_after.has_value(), kHasRetryAfter) |
                                          flag_if(outcome.detail != nullptr, kHasDetail));
  writer.u8(flags).varint(attempt.number).varint(attempt.ordinal);
  put_offset(writer, attempt.started_at, at);
  put_offset(writer, attempt.finished_at, at);
  writer.u8(static_cast<uint8_t>(attempt.counting))
      .u8(static_cast<uint8_t>(attempt.circuit_before))
      .u8(static_cast<uint8_t>(attempt.circuit_after))
      .u8(static_cast<uint8_t>(outcome.kind))
      .u8(static_cast<uint8_t>(outcome.reason))
      .varint(outcome.status);
  if (outcome.retry_after) {
    writer.signed_varint(outcome.retry_after->count_ms());
  }
  if (outcome.detail) {
    put_detail(writer, *outcome.detail);
  }
}

model::Attempt get_attempt(ByteReader& reader, Instant at, bool& ok) {
  model::Attempt attempt;
  const uint8_t flags = reader.u8();
  attempt.lane = (flags & kRetryLane) != 0 ? model::Lane::kRetry : model::Lane::kFresh;
  attempt.is_probe = (flags & kProbe) != 0;
  attempt.number = static_cast<uint32_t>(reader.varint());
  attempt.ordinal = reader.varint();
  attempt.started_at = get_offset(reader, at);
  attempt.finished_at = get_offset(reader, at);
  attempt.counting = get_enum(reader.u8(), model::Counting::kLifetimeOnly, ok);
  attempt.circuit_before = get_enum(reader.u8(), model::CircuitState::kFrozen, ok);
  attempt.circuit_after = get_enum(reader.u8(), model::CircuitState::kFrozen, ok);
  attempt.outcome.kind = get_enum(reader.u8(), model::OutcomeKind::kNotStarted, ok);
  // Reasons have gaps and will grow: one that is unknown is shown as a number.
  attempt.outcome.reason = static_cast<model::OutcomeReason>(reader.u8());
  attempt.outcome.status = static_cast<uint16_t>(reader.varint());
  if ((flags & kHasRetryAfter) != 0) {
    attempt.outcome.retry_after = Duration::ms(reader.signed_varint());
  }
  if ((flags & kHasDetail) != 0) {
    attempt.outcome.detail = get_detail(reader);
  }
  return attempt;
}

}  // namespace

std::string encode_outcome(std::string_view key, const OutcomeRecord& outcome, std::string room) {
  std::string record = begin_record(kVersion, std::move(room));
  record.reserve(64);
  ByteWriter writer(record);
  writer.u8(static_cast<uint8_t>(flag_if(outcome.attempt.has_value(), kHasAttempt) |
                                 flag_if(outcome.end.has_value(), kHasEnd) |
                                 flag_if(outcome.next_due.has_value(), kHasNextDue)));
  writer.big64(outcome.endpoint.value).varint(outcome.subscription.value);
  put_time(writer, outcome.at);
  if (outcome.attempt) {
    put_attempt(writer, *outcome.attempt, outcome.at);
  }
  if (outcome.end) {
    writer.u8(static_cast<uint8_t>(*outcome.end));
  }
  if (outcome.next_due) {
    put_offset(writer, *outcome.next_due, outcome.at);
  }
  return sealed(key, std::move(record));
}

base::Result<OutcomeRecord> decode_outcome(std::string_view key, std::string_view record) {
  TRY(const OpenRecord open, open_record(key, record, kVersion));
  ByteReader reader(open.fields);
  OutcomeRecord outcome;
  bool ok = true;
  const uint8_t flags = reader.u8();
  outcome.endpoint = {reader.big64()};
  outcome.subscription = {reader.varint()};
  outcome.at = get_time(reader);
  if ((flags & kHasAttempt) != 0) {
    outcome.attempt = get_attempt(reader, outcome.at, ok);
    outcome.attempt->delivery = {ByteReader(key).big64()};
    outcome.attempt->endpoint = outcome.endpoint;
  }
  if ((flags & kHasEnd) != 0) {
    outcome.end = get_enum(reader.u8(), model::EndState::kCancelled, ok);
  }
  if ((flags & kHasNextDue) != 0) {
    outcome.next_due = get_offset(reader, outcome.at);
  }
  if (!ok || !reader.is_complete()) {
    return malformed("outcome");
  }
  return outcome;
}

std::string encode_delivery(std::string_view key, const Delivery& delivery) {
  std::string record = begin_record(kVersion);
  record.reserve(80);
  ByteWriter writer(record);
  writer.big64(delivery.id.value).varint(delivery.tenant.value).big64(delivery.event.value);
  put_time(writer, delivery.queued_at);
  put_delivery(writer, delivery, delivery.event, delivery.queued_at);
  return sealed(key, std::move(record));
}

base::Result<Delivery> decode_delivery(std::string_view key, std::string_view record) {
  TRY(const OpenRecord open, open_record(key, record, kVersion));
  ByteReader reader(open.fields);
  const base::DeliveryId id{reader.big64()};
  const base::TenantId tenant{reader.varint()};
  const base::EventId event{reader.big64()};
  const Instant queued_at = get_time(reader);
  Delivery delivery = get_delivery(reader, event, queued_at);
  delivery.id = id;
  delivery.tenant = tenant;
  if (!reader.is_complete()) {
    return malformed("delivery");
  }
  return delivery;
}

std::string encode_line(std::string_view key, const LineEntry& entry) {
  std::string record = begin_record(kVersion);
  ByteWriter writer(record);
  writer.u8(entry.shard);
  put_time(writer, entry.last_slot);
  return sealed(key, std::move(record));
}

base::Result<LineEntry> decode_line(std::string_view key, std::string_view record) {
  TRY(const OpenRecord open, open_record(key, record, kVersion));
  ByteReader reader(open.fields);
  LineEntry entry;
  entry.shard = reader.u8();
  entry.last_slot = get_time(reader);
  if (!reader.is_complete()) {
    return malformed("line");
  }
  return entry;
}

std::string encode_unique(std::string_view key, const UniqueEntry& entry) {
  std::string record = begin_record(kVersion);
  ByteWriter(record).varint(entry.sequence).big64(entry.digest);
  return sealed(key, std::move(record));
}

base::Result<UniqueEntry> decode_unique(std::string_view key, std::string_view record) {
  TRY(const OpenRecord open, open_record(key, record, kVersion));
  ByteReader reader(open.fields);
  UniqueEntry entry;
  entry.sequence = reader.varint();
  entry.digest = reader.big64();
  if (!reader.is_complete()) {
    return malformed("unique key");
  }
  return entry;
}

std::string encode_document(std::string_view key, const StoredDocument& document) {
  std::string record = begin_record(kVersion);
  ByteWriter(record).varint(document.revision).rest(document.value);
  return sealed(key, std::move(record));
}

base::Result<StoredDocument> decode_document(std::string_view key, std::string_view record) {
  TRY(const OpenRecord open, open_record(key, record, kVersion));
  ByteReader reader(open.fields);
  StoredDocument document;
  document.revision = reader.varint();
  if (!reader.ok()) {
    return malformed("document");
  }
  document.value = reader.rest();
  return document;
}

std::string encode_standing(std::string_view key, const Standing& standing) {
  std::string record = begin_record(kVersion);
  ByteWriter writer(record);
  writer.varint(standing.commit)
      .varint(standing.next_sequence)
      .varint(standing.low_water)
      .varint(standing.retained_from);
  put_time(writer, standing.last_committed);
  const Totals& totals = standing.totals;
  writer.varint(totals.created)
      .varint(totals.delivered)
      .varint(totals.dropped)
      .varint(totals.cancelled)
      .varint(totals.expired)
      .varint(totals.events);
  return sealed(key, std::move(record));
}

base::Result<Standing> decode_standing(std::string_view key, std::string_view record) {
  TRY(const OpenRecord open, open_record(key, record, kVersion));
  ByteReader reader(open.fields);
  Standing standing;
  standing.commit = reader.varint();
  standing.next_sequence = reader.varint();
  standing.low_water = reader.varint();
  standing.retained_from = reader.varint();
  standing.last_committed = get_time(reader);
  Totals& totals = standing.totals;
  for (uint64_t* const count : {&totals.created, &totals.delivered, &totals.dropped,
                                &totals.cancelled, &totals.expired, &totals.events}) {
    *count = reader.varint();
  }
  if (!reader.is_complete() || totals.ended() > totals.created) {
    return malformed("state");
  }
  return standing;
}

std::string encode_ranges(std::string_view key, const std::vector<SequenceRange>& ranges) {
  std::string record = begin_record(kVersion);
  ByteWriter writer(record);
  for (const SequenceRange& range : ranges) {
    writer.varint(range.from).varint(range.until);
  }
  return sealed(key, std::move(record));
}

base::Result<std::vector<SequenceRange>> decode_ranges(std::string_view key,
                                                       std::string_view record) {
  TRY(const OpenRecord open, open_record(key, record, kVersion));
  ByteReader reader(open.fields);
  std::vector<SequenceRange> ranges;
  base::Sequence last = 0;
  while (reader.ok() && !reader.rest().empty()) {
    const SequenceRange range{.from = reader.varint(), .until = reader.varint()};
    if (range.from < last || range.until <= range.from) {
      return malformed("removal");
    }
    last = range.until;
    ranges.push_back(range);
  }
  if (!reader.is_complete()) {
    return malformed("removal");
  }
  return ranges;
}

std::string encode_number(std::string_view key, uint64_t number) {
  std::string record = begin_record(kVersion);
  ByteWriter(record).varint(number);
  return sealed(key, std::move(record));
}

base::Result<uint64_t> decode_number(std::string_view key, std::string_view record) {
  TRY(const OpenRecord open, open_record(key, record, kVersion));
  ByteReader reader(open.fields);
  const uint64_t number = reader.varint();
  if (!reader.is_complete()) {
    return malformed("number");
  }
  return number;
}

}  // namespace store
