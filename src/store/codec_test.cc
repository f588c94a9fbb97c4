// Records come back as they were written, and damaged bytes never come back as a record.

#include "store/codec.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/prng.h"
#include "store/keys.h"
#include "store/rollups.h"
#include "store/sealed.h"

namespace store {
namespace {

using base::Duration;
using base::Instant;
using model::Delivery;

constexpr Instant kStart = Instant::from_ms(1'790'000'000'000);
constexpr base::Sequence kSequence = 77;
constexpr std::string_view kTraceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

Delivery make_delivery(uint32_t index) {
  Delivery delivery;
  delivery.id = base::DeliveryId::make(kSequence, index);
  delivery.event = {0xfeedULL};
  delivery.endpoint = base::EndpointId::make(9, 12'345);
  delivery.tenant = {42};
  delivery.subscription = {7'000'000'000ULL};
  delivery.queued_at = kStart;
  delivery.due = kStart + Duration::seconds(85);
  delivery.last_slot = kStart + Duration::hours(48);
  delivery.attempts = 3;
  return delivery;
}

Delivery make_unusual_delivery(uint32_t index) {
  Delivery delivery = make_delivery(index);
  delivery.event = {0xbeefULL};
  delivery.queue = delivery.subscription;
  delivery.object = {0xabcdef0123456789ULL};
  delivery.due = Instant::never();
  delivery.range = model::DueRange::kRetry;
  delivery.operational = true;
  delivery.recorded = true;
  delivery.blocked = true;
  return delivery;
}

model::Publish make_publish() {
  model::Event content{.tenant = {42},
                       .id = "evt-1",
                       .type = "order.created",
                       .object_code = "ORDER",
                       .object_id = "o-1",
                       .payload = std::string("{\"a\":\0\"b\"}", 10),
                       .unmatched_reason = "",
                       .redelivery_of = {99},
                       .traceparent = std::string(kTraceparent)};
  return {.event = {0xfeedULL},
          .tenant = {42},
          .queued_at = kStart,
          .deliveries = {make_delivery(0), make_unusual_delivery(1)},
          .content = std::make_shared<model::Event>(content),
          .unique_key = "order-1",
          .digest = 0x1122334455667788ULL};
}

OutcomeRecord make_outcome() {
  OutcomeRecord outcome;
  outcome.endpoint = base::EndpointId::make(200, 5);
  outcome.subscription = {6};
  outcome.at = kStart;
  outcome.attempt = model::Attempt{.delivery = base::DeliveryId::make(kSequence, 0),
                                   .endpoint = outcome.endpoint,
                                   .number = 2,
                                   .ordinal = 1'000'000,
                                   .lane = model::Lane::kRetry,
                                   .is_probe = true,
                                   .started_at = kStart - Duration::ms(40),
                                   .finished_at = kStart};
  outcome.attempt->outcome.status = 503;
  outcome.attempt->outcome.retry_after = Duration::seconds(7);
  outcome.attempt->outcome.reason = model::OutcomeReason::kInHead;
  outcome.attempt->outcome.detail = std::make_shared<model::AttemptDetail>(
      model::AttemptDetail{.phases = {.dns = Duration::ms(1), .head = Duration::ms(39)},
                           .remote_address = "192.0.2.1:443",
                           .is_reused_connection = true,
                           .response_headers = "retry-after: 7\r\n",
                           .response_body = "busy",
                           .is_body_cut = true,
                           .explanation = ""});
  outcome.next_due = kStart + Duration::hours(1);
  return outcome;
}

model::EndpointRecord make_endpoint() {
  model::EndpointRecord record;
  record.id = base::EndpointId::make(3, 77);
  record.tenant = {5};
  record.state = model::CircuitState::kDisabled;
  record.paused = true;
  record.consecutive_failures = 2001;
  record.since_enable = {.attempts = 10, .failures = 9};
  record.window.newest_hour = kStart.hour();
  record.window.buckets[5] = {.attempts = 4, .failures = 1};
  record.successes = 1;
  record.failures = 9;
  record.first_attempt_at = kStart;
  record.probe_from = kStart + Duration::minutes(10);
  record.unfinished = 12;
  record.last_queued = base::DeliveryId::make(kSequence, 2);
  return record;
}

bool same(const Delivery& left, const Delivery& right) {
  return left.id == right.id && left.event == right.event && left.endpoint == right.endpoint &&
         left.tenant == right.tenant && left.subscription == right.subscription &&
         left.queue == right.queue && left.object == right.object &&
         left.queued_at == right.queued_at && left.due == right.due &&
         left.last_slot == right.last_slot && left.attempts == right.attempts &&
         left.range == right.range && left.operational == right.operational &&
         left.recorded == right.recorded && left.blocked == right.blocked;
}

WaitingCounts some_counts() {
  return {{.subscription = {7},
           .hour = 489'000,
           .counts = {.attempts = 300, .delivered = 300, .duration_ms = 70'000}},
          {.subscription = {8}, .hour = 489'001, .counts = {.attempts = 1, .delivered = 1}}};
}

TEST(CodecTest, AnEventComesBackWithItsDeliveriesAndContent) {
  const model::Publish publish = make_publish();
  const std::string key = sequence_key(kSequence);
  const std::string record = encode_event(key, publish, publish.deliveries);
  const auto head = decode_event_head(key, record);
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->unique_key, "order-1");
  EXPECT_EQ(head->digest, publish.digest);
  ASSERT_EQ(head->deliveries.size(), 2U);
  EXPECT_TRUE(same(head->deliveries[0], publish.deliveries[0]));
  EXPECT_TRUE(same(head->deliveries[1], publish.deliveries[1]));
  const auto event = decode_event(key, record);
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->payload, publish.content->payload);
  EXPECT_EQ(event->type, "order.created");
  EXPECT_EQ(event->redelivery_of.value, 99U);
  EXPECT_EQ(event->tenant.value, 42U);
  EXPECT_EQ(event->traceparent, kTraceparent);
}

// Records that were written before events could belong to a trace.
TEST(CodecTest, AnEventOfTheFirstVersionBelongsToNoTrace) {
  const model::Publish publish = make_publish();
  const std::string key = sequence_key(kSequence);
  std::string first_version = encode_event(key, publish, publish.deliveries);
  first_version.resize(first_version.size() - 8 - 1 - kTraceparent.size());
  first_version.front() = 1;
  seal(key, first_version);
  const auto head = decode_event_head(key, first_version);
  ASSERT_TRUE(head.has_value());
  EXPECT_EQ(head->deliveries.size(), 2U);
  const auto event = decode_event(key, first_version);
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->payload, publish.content->payload);
  EXPECT_EQ(event->traceparent, "");
}

TEST(CodecTest, ADeliveryComesBackAsItWaits) {
  for (const Delivery& delivery : {make_delivery(0), make_unusual_delivery(65'535)}) {
    const std::string key = expiry_key(delivery);
    const auto decoded = decode_delivery(key, encode_delivery(key, delivery));
    ASSERT_TRUE(decoded.has_value());
    EXPECT_TRUE(same(*decoded, delivery));
  }
}

TEST(CodecTest, AnOutcomeComesBackWithItsAttempt) {
  const OutcomeRecord outcome = make_outcome();
  const std::string key = outcome_key(outcome.attempt->delivery, 2);
  const auto decoded = decode_outcome(key, encode_outcome(key, outcome));
  ASSERT_TRUE(decoded.has_value());
  ASSERT_TRUE(decoded->attempt.has_value());
  EXPECT_EQ(decoded->attempt->delivery, outcome.attempt->delivery);
  EXPECT_EQ(decoded->attempt->ordinal, 1'000'000U);
  EXPECT_EQ(decoded->attempt->started_at, outcome.attempt->started_at);
  EXPECT_EQ(decoded->attempt->outcome, outcome.attempt->outcome);
  EXPECT_TRUE(decoded->attempt->is_probe);
  const model::AttemptDetail* const detail = decoded->attempt->outcome.detail.get();
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->phases.head, Duration::ms(39));
  EXPECT_EQ(detail->remote_address, "192.0.2.1:443");
  EXPECT_EQ(detail->response_body, "busy");
  EXPECT_TRUE(detail->is_body_cut);
  EXPECT_EQ(decoded->next_due, outcome.next_due);
  EXPECT_FALSE(decoded->end.has_value());
}

TEST(CodecTest, AnEndpointComesBackWithTheCountsThatAreInNoRow) {
  const model::EndpointRecord record = make_endpoint();
  const std::string key = endpoint_key(record.id);
  const auto stored = decode_endpoint(key, encode_endpoint(key, record, some_counts()));
  ASSERT_TRUE(stored.has_value());
  EXPECT_EQ(stored->waiting, some_counts());
}

// Records that were written before counts could wait in them.
TEST(CodecTest, AnEndpointOfTheFirstVersionHasNoWaitingCounts) {
  const model::EndpointRecord record = make_endpoint();
  const std::string key = endpoint_key(record.id);
  std::string first_version = encode_endpoint(key, record, {});
  first_version.resize(first_version.size() - 9);  // the checksum, and a count of none
  first_version.front() = 1;
  seal(key, first_version);
  const auto stored = decode_endpoint(key, first_version);
  ASSERT_TRUE(stored.has_value());
  EXPECT_EQ(stored->record.unfinished, record.unfinished);
  EXPECT_TRUE(stored->waiting.empty());
}

TEST(CodecTest, AnEndpointComesBackWithItsCircuitAndWindow) {
  const model::EndpointRecord record = make_endpoint();
  const std::string key = endpoint_key(record.id);
  const auto stored = decode_endpoint(key, encode_endpoint(key, record, {}));
  ASSERT_TRUE(stored.has_value());
  const model::EndpointRecord* const decoded = &stored->record;
  EXPECT_TRUE(stored->waiting.empty());
  EXPECT_EQ(decoded->id, record.id);
  EXPECT_EQ(decoded->state, record.state);
  EXPECT_TRUE(decoded->paused);
  EXPECT_FALSE(decoded->last_attempt_failed);
  EXPECT_EQ(decoded->window.buckets, record.window.buckets);
  EXPECT_EQ(decoded->window.newest_hour, record.window.newest_hour);
  EXPECT_EQ(decoded->probe_from, record.probe_from);
  EXPECT_FALSE(decoded->frozen_at.is_set());
  EXPECT_EQ(decoded->unfinished, 12U);
  EXPECT_EQ(decoded->last_queued, record.last_queued);
}

TEST(CodecTest, TheStandingComesBack) {
  const Standing standing{
      .commit = 12,
      .next_sequence = 34,
      .low_water = 30,
      .retained_from = 2,
      .last_committed = kStart,
      .totals = {
          .created = 10, .delivered = 4, .dropped = 1, .cancelled = 1, .expired = 2, .events = 9}};
  const auto decoded = decode_standing(kStateKey, encode_standing(kStateKey, standing));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->commit, 12U);
  EXPECT_EQ(decoded->totals, standing.totals);
  EXPECT_EQ(decoded->totals.unfinished(), 2U);
  EXPECT_EQ(decoded->last_committed, kStart);
}

TEST(CodecTest, RangesComeBackAndMustBeInOrder) {
  const std::vector<SequenceRange> ranges = {{.from = 0, .until = 7}, {.from = 9, .until = 300}};
  const auto decoded = decode_ranges(kRemovingKey, encode_ranges(kRemovingKey, ranges));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(*decoded, ranges);
  for (const std::vector<SequenceRange>& wrong :
       {std::vector<SequenceRange>{{.from = 5, .until = 5}},
        std::vector<SequenceRange>{{.from = 5, .until = 9}, {.from = 8, .until = 10}}}) {
    EXPECT_FALSE(decode_ranges(kRemovingKey, encode_ranges(kRemovingKey, wrong)).has_value());
  }
}

TEST(CodecTest, HourlyCountsAddUp) {
  Counts sum{.attempts = 1, .failures = 1, .duration_ms = 250};
  sum += {.attempts = 2, .delivered = 2, .duration_ms = 10};
  const auto decoded = decode_counts(encode_counts(sum));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(*decoded, (Counts{.attempts = 3, .failures = 1, .delivered = 2, .duration_ms = 260}));
}

// Every kind of record, and how it is read.
struct Sample {
  std::string name;
  std::string key;
  std::string record;
  std::function<bool(std::string_view, std::string_view)> is_readable;
};

template <class Decode>
Sample sample(const std::string& name, const std::string& key, const std::string& record,
              Decode decode) {
  return {.name = name,
          .key = key,
          .record = record,
          .is_readable = [decode](std::string_view at, std::string_view bytes) {
            return decode(at, bytes).has_value();
          }};
}

std::vector<Sample> all_samples() {
  std::vector<Sample> samples;
  const model::Publish publish = make_publish();
  std::string key = sequence_key(kSequence);
  samples.push_back(sample("event", key, encode_event(key, publish, publish.deliveries),
                           [](auto at, auto bytes) { return decode_event(at, bytes); }));
  key = outcome_key(base::DeliveryId::make(kSequence, 0), 2);
  samples.push_back(sample("outcome", key, encode_outcome(key, make_outcome()),
                           [](auto at, auto bytes) { return decode_outcome(at, bytes); }));
  key = due_key(make_delivery(0));
  samples.push_back(sample("delivery", key, encode_delivery(key, make_delivery(0)),
                           [](auto at, auto bytes) { return decode_delivery(at, bytes); }));
  key = endpoint_key(make_endpoint().id);
  samples.push_back(sample("endpoint", key, encode_endpoint(key, make_endpoint(), some_counts()),
                           [](auto at, auto bytes) { return decode_endpoint(at, bytes); }));
  key = line_key({1}, {2}, {3});
  samples.push_back(sample("line", key, encode_line(key, {.shard = 4, .last_slot = kStart}),
                           [](auto at, auto bytes) { return decode_line(at, bytes); }));
  key = unique_key({1}, "k");
  samples.push_back(sample("unique", key, encode_unique(key, {.sequence = 5, .digest = 6}),
                           [](auto at, auto bytes) { return decode_unique(at, bytes); }));
  key = document_key(model::Table::kJobs, {1}, "j");
  samples.push_back(sample("document", key, encode_document(key, {.revision = 1, .value = "v"}),
                           [](auto at, auto bytes) { return decode_document(at, bytes); }));
  key = std::string(kStateKey);
  samples.push_back(sample("standing", key, encode_standing(key, {.commit = 1}),
                           [](auto at, auto bytes) { return decode_standing(at, bytes); }));
  key = erasing_key({7});
  samples.push_back(sample("ranges", key, encode_ranges(key, {{.from = 3, .until = 400}}),
                           [](auto at, auto bytes) { return decode_ranges(at, bytes); }));
  const model::Transition transition{.endpoint = {1}, .at = kStart};
  key = history_key(transition, 1, 0);
  samples.push_back(sample("transition", key, encode_transition(key, transition),
                           [](auto at, auto bytes) { return decode_transition(at, bytes); }));
  return samples;
}

TEST(CodecTest, EveryFlippedBitIsNoticed) {
  for (const Sample& sample : all_samples()) {
    ASSERT_TRUE(sample.is_readable(sample.key, sample.record)) << sample.name;
    for (size_t bit = 0; bit < sample.record.size() * 8; ++bit) {
      std::string damaged = sample.record;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      EXPECT_FALSE(sample.is_readable(sample.key, damaged)) << sample.name << " bit " << bit;
    }
  }
}

TEST(CodecTest, ARecordUnderAnotherKeyIsNoticed) {
  for (const Sample& sample : all_samples()) {
    std::string other = sample.key;
    other.back() = static_cast<char>(other.back() + 1);
    EXPECT_FALSE(sample.is_readable(other, sample.record)) << sample.name;
  }
}

TEST(CodecTest, EveryTruncationIsNoticed) {
  for (const Sample& sample : all_samples()) {
    for (size_t size = 0; size < sample.record.size(); ++size) {
      EXPECT_FALSE(sample.is_readable(sample.key, sample.record.substr(0, size))) << sample.name;
    }
  }
}

// With a right checksum, so that the fields themselves are what is judged.
TEST(CodecTest, AnySealedBytesGiveAValueOrAnError) {
  base::Prng prng(3);
  const std::vector<Sample> samples = all_samples();
  for (int round = 0; round < 20'000; ++round) {
    const Sample& sample = samples[prng.below(samples.size())];
    std::string record = begin_record(1);
    if (prng.chance(50)) {
      record = sample.record.substr(0, sample.record.size() - 8);
      record[1 + prng.below(record.size() - 1)] = static_cast<char>(prng.next());
    } else {
      const uint64_t size = prng.below(200);
      for (uint64_t index = 0; index < size; ++index) {
        record.push_back(static_cast<char>(prng.next()));
      }
    }
    seal(sample.key, record);
    sample.is_readable(sample.key, record);
  }
}

TEST(CodecTest, ARecordWithoutAKeyIsSealedToo) {
  std::string record = begin_record(1);
  seal(std::string_view(), record);
  EXPECT_TRUE(open_record("", record, 1).has_value());
  EXPECT_FALSE(open_record("key", record, 1).has_value());
}

TEST(CodecTest, ANewerVersionIsRefusedAndSaysSo) {
  std::string record = begin_record(2);
  seal("key", record);
  const auto opened = open_record("key", record, 1);
  ASSERT_FALSE(opened.has_value());
  EXPECT_NE(opened.error().detail.find("version 2"), std::string::npos);
}

TEST(KeysTest, DueKeysSortByEndpointQueueRangeDueAndDelivery) {
  const auto key = [](uint64_t endpoint, uint64_t queue, model::DueRange range, int64_t due,
                      uint64_t delivery) {
    return due_key({endpoint}, {queue}, range,
                   {.due = Instant::from_ms(due), .delivery = {delivery}});
  };
  const std::vector<std::string> in_order = {
      key(1, 0, model::DueRange::kFirst, 255, 9), key(1, 0, model::DueRange::kFirst, 256, 1),
      key(1, 0, model::DueRange::kFirst, 256, 2), key(1, 0, model::DueRange::kRetry, 1, 1),
      key(1, 5, model::DueRange::kFirst, 1, 1),   key(2, 0, model::DueRange::kFirst, 1, 1),
  };
  for (size_t index = 1; index < in_order.size(); ++index) {
    EXPECT_LT(in_order[index - 1], in_order[index]);
  }
  const auto place = parse_due_key(in_order[2]);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->at.due.ms(), 256);
  EXPECT_EQ(place->at.delivery.value, 2U);
}

TEST(KeysTest, TheKeyAfterAPrefixIsTheFirstThatDoesNotHaveIt) {
  EXPECT_EQ(after_prefix("ab"), "ac");
  EXPECT_EQ(after_prefix(std::string("a\xff")), "b");
  EXPECT_EQ(after_prefix(std::string("\xff\xff")), "");
}

}  // namespace
}  // namespace store
