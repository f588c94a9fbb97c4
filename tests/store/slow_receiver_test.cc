// An endpoint that takes a twentieth of what is published must cost disk, not memory, and must not
// hold back the low-water mark: production intake, dispatcher and core on the embedded store, for
// an hour of virtual time.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/check.h"
#include "core/options.h"
#include "delivery/dispatcher.h"
#include "delivery/intake.h"
#include "sim/sim_transport.h"
#include "sim/timeline.h"
#include "store/engine.h"
#include "tests/store/lockstep_store.h"

namespace store {
namespace {

using base::Duration;
using base::Instant;

constexpr Instant kStart = Instant::from_ms(1'790'000'000'000);
constexpr Duration kBetweenEvents = Duration::ms(20);  // 50 a second
constexpr Duration kLatency = Duration::seconds(4);    // ten in flight: 2.5 a second
constexpr base::EndpointId kSlow = base::EndpointId::make(7, 1);
constexpr uint64_t kEventsPerMinute = 60 * 50;

// Five seconds of checkpoint, two of spilling, and some.
constexpr base::Sequence kLagMax = 50 * 15;

double anonymous_mib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  double kib = 0;
  while (status >> word) {
    if (word == "RssAnon:") {
      status >> kib;
    }
  }
  return kib / 1024;
}

core::RetrySchedule schedule_of(const core::Options& options) {
  auto schedule = core::check_options(options);
  CHECK(schedule.has_value());
  return *std::move(schedule);
}

// One life of the server.
class Life {
 public:
  Life(Engine& engine, sim::Timeline& timeline)
      : schedule_(schedule_of({})),
        scheduler_(timeline, kStart, engine.last_committed()),
        store_(engine, scheduler_),
        transport_(scheduler_,
                   [](const delivery::AttemptRequest&) {
                     return sim::Reply{.delay = kLatency, .outcome = {.status = 200}};
                   },
                   {}),
        dispatcher_({}, {.scheduler = scheduler_,
                         .store = store_,
                         .transport = transport_,
                         .expand =
                             [](const model::OperationalEvent&) {
                               return std::optional<model::Publish>();
                             }}),
        intake_({}, {.schedule = schedule_,
                     .scheduler = scheduler_,
                     .store = store_,
                     .dispatcher = dispatcher_}) {}

  delivery::Dispatcher& dispatcher() { return dispatcher_; }

  void publish(uint64_t number) {
    intake_.publish(
        {.id = {number}, .tenant = {1}, .object = {}, .operational = false},
        {{.id = {1}, .endpoint = kSlow}},
        [](const delivery::Intake::Accepted& accepted) { ASSERT_TRUE(accepted.has_value()); });
  }

 private:
  core::RetrySchedule schedule_;
  sim::SimScheduler scheduler_;
  LockstepStore store_;
  sim::SimTransport transport_;
  delivery::Dispatcher dispatcher_;
  delivery::Intake intake_;
};

class SlowReceiverTest : public ::testing::Test {
 protected:
  SlowReceiverTest() : directory_(std::filesystem::absolute("slow_receiver_data").string()) {
    std::filesystem::remove_all(directory_);
    reopen();
  }
  ~SlowReceiverTest() override {
    life_.reset();
    engine_.reset();
    std::filesystem::remove_all(directory_);
  }

  // Without syncs: this test is about memory, and 200 000 of them would take minutes. With buffers
  // so small that they fill up again and again: what grows then is not theirs.
  void reopen() {
    life_.reset();
    engine_.reset();
    auto engine = Engine::open({.directory = directory_,
                                .sync = false,
                                .block_cache_bytes = 8ULL << 20U,
                                .write_buffer_bytes = 1ULL << 20U});
    CHECK(engine.has_value());
    engine_ = *std::move(engine);
    life_ = std::make_unique<Life>(*engine_, timeline_);
  }

  void acquire() {
    std::vector<base::ShardId> shards(base::kShardCount);
    for (uint32_t shard = 0; shard < base::kShardCount; ++shard) {
      shards[shard] = static_cast<base::ShardId>(shard);
    }
    bool is_ready = false;
    life_->dispatcher().acquire(shards, [&is_ready] { is_ready = true; });
    run_until(timeline_.elapsed());
    ASSERT_TRUE(is_ready);
  }

  void run_until(Duration when) {
    while (timeline_.run_next(when)) {
    }
  }

  void publish_for_a_minute() {
    for (uint64_t index = 0; index < kEventsPerMinute; ++index) {
      life_->publish(++published_);
      run_until(timeline_.elapsed() + kBetweenEvents);
    }
  }

  base::Sequence lag() const {
    const Standing standing = engine_->standing();
    return standing.next_sequence - standing.low_water;
  }

  std::string directory_;
  sim::Timeline timeline_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Life> life_;
  uint64_t published_ = 0;
};

TEST_F(SlowReceiverTest, CostsNoMemoryAndDoesNotHoldBackTheLowWaterMark) {
  acquire();
  // The most that is needed: a buffer of the database is full at one moment and empty at the next.
  double early_mib = 0;
  double late_mib = 0;
  for (int minute = 1; minute <= 60; ++minute) {
    publish_for_a_minute();
    EXPECT_LE(lag(), kLagMax) << "minute " << minute;
    double& most_mib = minute <= 20 ? early_mib : late_mib;
    most_mib = std::max(most_mib, anonymous_mib());
  }
  // By then the buffers have filled up more than once; from there on only caches may grow. If every
  // delivery that waits were kept in memory, this would be 14 MiB more (seen, with such a leak).
  EXPECT_LT(late_mib, early_mib + 10);
  RecordProperty("early_mib", static_cast<int>(early_mib));
  RecordProperty("late_mib", static_cast<int>(late_mib));
  const Totals totals = engine_->standing().totals;
  EXPECT_EQ(totals.created, published_);
  EXPECT_NEAR(static_cast<double>(totals.delivered), 3600 * 2.5, 100);

  reopen();
  size_t tail = 0;
  bool is_known = false;
  std::promise<void> known;
  engine_->acquire({kSlow.shard()}, [&](const std::vector<model::ShardSnapshot>& snapshots) {
    tail = snapshots.front().tail.size();
    is_known = true;
    known.set_value();
  });
  known.get_future().wait();
  ASSERT_TRUE(is_known);
  EXPECT_LE(tail, kLagMax);
  RecordProperty("tail", static_cast<int>(tail));
}

}  // namespace
}  // namespace store
