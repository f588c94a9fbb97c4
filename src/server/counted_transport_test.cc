#include "server/counted_transport.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace server {
namespace {

// Time stands still.
class Standstill : public base::Scheduler {
 public:
  base::Instant now() const override { return base::Instant::from_ms(100'000'000); }
  void post(Task task) override { task(); }
  TimerId call_at(base::Instant /*when*/, Task /*task*/) override { return TimerId::kNone; }
  void cancel(TimerId /*timer*/) override {}
};

// Keeps what is sent until the test says how it ends.
class Receivers : public delivery::Transport {
 public:
  void send(const delivery::AttemptRequest& /*request*/,
            std::function<void(model::Outcome)> done) override {
    waiting.push_back(std::move(done));
  }
  void abandon(delivery::AttemptId attempt) override { abandoned.push_back(attempt); }

  std::vector<std::function<void(model::Outcome)>> waiting;
  std::vector<delivery::AttemptId> abandoned;
};

class CountedTransportTest : public testing::Test {
 protected:
  bool shows(const std::string& line) {
    std::string text;
    metrics_.write_prometheus(text);
    return text.find("\n" + line + "\n") != std::string::npos;
  }

  void send(base::Duration late, bool is_probe = false) {
    delivery::AttemptRequest request{.is_probe = is_probe};
    request.delivery.due = time_.now() - late;
    counted_.send(request, [this](const model::Outcome& outcome) { ends_.push_back(outcome); });
  }

  Standstill time_;
  observe::Metrics metrics_;
  Receivers receivers_;
  CountedTransport counted_{receivers_, metrics_, time_};
  std::vector<model::Outcome> ends_;
};

TEST_F(CountedTransportTest, CountsHowAttemptsEndAndPassesItOn) {
  for (int i = 0; i < 4; ++i) {
    send({});
  }
  receivers_.waiting[0]({.kind = model::OutcomeKind::kResponse, .status = 204});
  receivers_.waiting[1]({.kind = model::OutcomeKind::kResponse, .status = 500});
  receivers_.waiting[2]({.kind = model::OutcomeKind::kTimeout});
  receivers_.waiting[3]({.kind = model::OutcomeKind::kNotStarted});
  EXPECT_EQ(ends_.size(), 4U);
  EXPECT_EQ(ends_[0].status, 204);
  EXPECT_TRUE(shows("postrider_attempts_total{result=\"success\"} 1"));
  EXPECT_TRUE(shows("postrider_attempts_total{result=\"failure\"} 2"));
  EXPECT_TRUE(shows("postrider_attempt_outcomes_total{outcome=\"response\"} 2"));
  EXPECT_TRUE(shows("postrider_attempt_outcomes_total{outcome=\"timeout\"} 1"));
  EXPECT_TRUE(shows("postrider_attempt_outcomes_total{outcome=\"not_started\"} 1"));
}

TEST_F(CountedTransportTest, MeasuresHowLateAttemptsStartButNotProbes) {
  send(base::Duration::ms(3));
  send(base::Duration::hours(1), true);
  EXPECT_TRUE(shows("postrider_due_lateness_seconds_bucket{le=\"0.0025\"} 0"));
  EXPECT_TRUE(shows("postrider_due_lateness_seconds_bucket{le=\"0.005\"} 1"));
  EXPECT_TRUE(shows("postrider_due_lateness_seconds_count 1"));
}

TEST_F(CountedTransportTest, WhatIsAbandonedIsAbandoned) {
  counted_.abandon(delivery::AttemptId{7});
  EXPECT_EQ(receivers_.abandoned, std::vector<delivery::AttemptId>{delivery::AttemptId{7}});
}

}  // namespace
}  // namespace server
