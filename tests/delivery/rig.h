// A server on virtual time, with one receiver whose behaviour the test chooses.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/process.h"

namespace delivery {

inline constexpr base::Instant kStart = base::Instant::from_ms(1'790'000'000'000);
inline constexpr base::EndpointId kEndpoint = base::EndpointId::make(3, 1);

class Rig {
 public:
  explicit Rig(Intake::Options intake = {})
      : store_({.seed = 1}, {}), schedule_(core::RetrySchedule::make({}).value()) {
    process_ = std::make_unique<sim::Process>(core::Options{}, world(), kStart);
    intake_ = std::make_unique<Intake>(
        intake,
        Intake::Parts{
            .schedule = schedule_,
            .scheduler = process_->scheduler(),
            .store = store_,
            .dispatcher = process_->dispatcher(),
            .stored = [this](base::Sequence sequence, const std::shared_ptr<const model::Event>&,
                             const std::vector<model::Delivery>& deliveries) {
              stored_.push_back({.sequence = sequence, .deliveries = deliveries.size()});
            }});
    process_->start([] {});
    run_for(base::Duration());
  }

  void run_for(base::Duration time) {
    const base::Duration until = timeline_.elapsed() + time;
    while (timeline_.run_next(until)) {
    }
  }

  void publish(uint64_t event) {
    intake_->publish({.id = {event}, .tenant = {1}}, {subscription()},
                     [this, event](Intake::Accepted accepted) {
                       answers_.insert_or_assign(event, std::move(accepted));
                     });
  }
  void redeliver(uint64_t id, uint64_t event) {
    intake_->redeliver({id}, {.id = {event}, .tenant = {1}, .object = {9}}, subscription(),
                       [this, id](Intake::Accepted accepted) {
                         answers_.insert_or_assign(id, std::move(accepted));
                       });
  }
  bool is_answered(uint64_t event) const { return answers_.contains(event); }
  const Intake::Accepted& answer(uint64_t event) const { return answers_.at(event); }

  static MatchedSubscription subscription() { return {.id = {1}, .endpoint = kEndpoint}; }

  sim::Timeline& timeline() { return timeline_; }
  sim::SimStore& store() { return store_; }
  Dispatcher& dispatcher() { return process_->dispatcher(); }
  Intake& intake() { return *intake_; }
  // What the receiver answers from now on.
  void answer_with(const sim::Reply& reply) { reply_ = reply; }
  const std::vector<AttemptRequest>& attempts() const { return attempts_; }
  // What has become durable, in this order.
  const std::vector<model::Section>& durable() const { return durable_; }
  struct StoredEvent {
    base::Sequence sequence;
    size_t deliveries;
  };
  const std::vector<StoredEvent>& stored() const { return stored_; }

 private:
  sim::Process::World world() {
    return {.timeline = timeline_,
            .store = store_,
            .receivers = [this](const AttemptRequest&) { return reply_; },
            .hooks = {.started =
                          [this](const AttemptRequest& request) { attempts_.push_back(request); },
                      .ended = {},
                      .applied = {}},
            .match_operational = {},
            .new_event_id = {},
            .watch = {},
            .durable = [this](const model::Section& section) { durable_.push_back(section); }};
  }

  sim::Timeline timeline_;
  sim::SimStore store_;
  core::RetrySchedule schedule_;
  sim::Reply reply_{.delay = base::Duration::ms(20),
                    .outcome = {.kind = model::OutcomeKind::kResponse, .status = 200}};
  std::vector<AttemptRequest> attempts_;
  std::vector<model::Section> durable_;
  std::vector<StoredEvent> stored_;
  std::map<uint64_t, Intake::Accepted> answers_;
  std::unique_ptr<sim::Process> process_;
  std::unique_ptr<Intake> intake_;
};

}  // namespace delivery
