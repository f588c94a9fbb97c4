// When and where answers come, and what reads may show.

#include <gtest/gtest.h>

#include <thread>

#include "tests/conformance/describe.h"
#include "tests/conformance/store_suite.h"

namespace conformance {
namespace {

using base::DeliveryId;
using model::Delivery;
using store::Status;

class Answers : public StoreSuite {
 protected:
  // Counts answers, and notices those that come inside a call or on another thread.
  template <class Answer>
  std::function<void(Answer)> expect_answer() {
    submitted_ += 1;
    return [this, thread = std::this_thread::get_id()](const Answer&) {
      EXPECT_FALSE(is_calling_);
      EXPECT_EQ(std::this_thread::get_id(), thread);
      answered_ += 1;
    };
  }

  void ask_everything(base::Sequence sequence) {
    is_calling_ = true;
    store::Store& store = this->store();
    store.commit(kStart, {.publishes = {event_with(1, {{}})}, .sections = {}, .low_water = {}},
                 expect_answer<store::BatchResult>());
    store.commit(kStart, {.publishes = {}, .sections = {}, .low_water = {}},
                 expect_answer<store::BatchResult>());
    store.load_due({.endpoint = kEndpoint, .queue = {}, .from = {}, .limit = 9},
                   expect_answer<model::DuePage>());
    store.load_expired({.shard = kShard, .from = {}, .until = after(1), .limit = 9},
                       expect_answer<model::ExpiryPage>());
    store.load_delivery(DeliveryId::make(sequence, 0),
                        expect_answer<std::optional<store::FoundDelivery>>());
    store.load_event(sequence, expect_answer<std::optional<model::Event>>());
    store.load_documents({.tenant = kTenant, .after = {}, .limit = 9},
                         expect_answer<model::DocumentPage>());
    store.acquire({kShard}, expect_answer<std::vector<model::ShardSnapshot>>());
    is_calling_ = false;
  }

  bool is_calling_ = false;
  int submitted_ = 0;
  int answered_ = 0;
};

HOLD_EVERY_STORE_TO(Answers);

TEST_P(Answers, ComeOnTheCallersThreadAndNeverInsideTheCall) {
  const base::Sequence sequence = publish_one({}).id.sequence();
  ask_everything(sequence);
  EXPECT_EQ(answered_, 0);
  EXPECT_TRUE(harness().run_until([this] { return answered_ == submitted_; }));
}

TEST_P(Answers, AnEmptyBatchIsAnswered) {
  const store::BatchResult result = commit({.publishes = {}, .sections = {}, .low_water = {}});
  EXPECT_TRUE(result.publishes.empty());
  EXPECT_TRUE(result.sections.empty());
}

// From within its own answer: the read must show it, although nobody else was told yet.
TEST_P(Answers, AReadShowsWhatWasReportedJustBefore) {
  constexpr int kRounds = 200;
  int seen = 0;
  std::function<void()> next = [&] {
    store().commit(
        kStart,
        {.publishes = {event_with(new_event().value, {{}})}, .sections = {}, .low_water = {}},
        [&](const store::BatchResult& result) {
          store().load_delivery(result.publishes.at(0).deliveries.at(0).id,
                                [&](const std::optional<store::FoundDelivery>& found) {
                                  EXPECT_TRUE(found.has_value());
                                  if (++seen < kRounds) {
                                    next();
                                  }
                                });
        });
  };
  next();
  ASSERT_TRUE(harness().run_until([&] { return seen == kRounds; }));
}

// Asked while the commit is under way, again and again: it is shown from its report on, not before.
TEST_P(Answers, AReadNeverShowsWhatIsNotReported) {
  base::Sequence sequence = publish_one({}).id.sequence();
  int pending = 0;
  for (int round = 0; round < 200; ++round) {
    const DeliveryId next = DeliveryId::make(++sequence, 0);
    const auto is_reported = std::make_shared<bool>(false);
    store().commit(
        kStart,
        {.publishes = {event_with(new_event().value, {{}})}, .sections = {}, .low_water = {}},
        [=](const store::BatchResult& result) {
          ASSERT_EQ(result.publishes.at(0).deliveries.at(0).id, next);
          *is_reported = true;
        });
    for (int read = 0; read < 5; ++read) {
      pending += 1;
      store().load_delivery(next, [&pending, is_reported](const auto& found) {
        pending -= 1;
        EXPECT_TRUE(!found.has_value() || *is_reported);
      });
      harness().run_until([&] { return pending <= read; });
    }
    ASSERT_TRUE(harness().run_until([&] { return *is_reported && pending == 0; }));
  }
}

TEST_P(Answers, PagesNeverShowWhatIsNotReported) {
  for (int round = 0; round < 100; ++round) {
    const Delivery delivery = publish_one({});
    const auto is_reported = std::make_shared<bool>(false);
    const auto pending = std::make_shared<int>(0);
    const auto has_waiting = [=](const std::vector<Delivery>& deliveries) {
      EXPECT_TRUE(!deliveries.empty() || *is_reported);
      *pending -= 1;
    };
    store().commit(
        kStart,
        {.publishes = {}, .sections = {next_section({delivered(delivery)})}, .low_water = {}},
        [=](const store::BatchResult&) { *is_reported = true; });
    *pending += 2;
    store().load_due({.endpoint = kEndpoint, .queue = {}, .from = {}, .limit = 9},
                     [=](const model::DuePage& page) { has_waiting(page.deliveries); });
    store().load_expired({.shard = kShard, .from = {}, .until = delivery.last_slot, .limit = 9},
                         [=](const model::ExpiryPage& page) { has_waiting(page.deliveries); });
    ASSERT_TRUE(harness().run_until([&] { return *is_reported && *pending == 0; }));
    EXPECT_TRUE(due(9).deliveries.empty());
  }
}

TEST_P(Answers, ACommitIsAnsweredWhileReadsNeverCease) {
  const Delivery delivery = publish_one({});
  bool is_over = false;
  int pending = 0;
  std::function<void()> read = [&] {
    pending += 1;
    store().load_delivery(delivery.id, [&](const auto&) {
      pending -= 1;
      if (!is_over) {
        read();
      }
    });
  };
  for (int reader = 0; reader < 50; ++reader) {
    read();
  }
  int committed = 0;
  for (int round = 1; round <= 20; ++round) {
    store().commit(
        kStart,
        {.publishes = {event_with(new_event().value, {{}})}, .sections = {}, .low_water = {}},
        [&](const store::BatchResult&) { committed += 1; });
    EXPECT_TRUE(harness().run_until([&] { return committed == round; }));
  }
  is_over = true;
  ASSERT_TRUE(harness().run_until([&] { return pending == 0; }));
}

TEST_P(Answers, ReadsUnderWayTogetherAreAllAnswered) {
  std::vector<Delivery> deliveries;
  for (int64_t i = 0; i < 20; ++i) {
    deliveries.push_back(publish_one({.queued = i}));
  }
  int answered = 0;
  for (int round = 0; round < 50; ++round) {
    for (const Delivery& delivery : deliveries) {
      store().load_delivery(delivery.id, [&, expected = describe(delivery)](const auto& found) {
        EXPECT_EQ(describe(found), expected);
        answered += 1;
      });
    }
  }
  EXPECT_TRUE(harness().run_until([&] { return answered == 1'000; }));
}

}  // namespace
}  // namespace conformance
