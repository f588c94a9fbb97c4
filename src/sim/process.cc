#include "sim/process.h"

#include <numeric>
#include <utility>

#include "base/check.h"

namespace sim {
namespace {

core::RetrySchedule checked(const core::Options& options) {
  auto schedule = core::check_options(options);
  CHECK(schedule.has_value());
  return *std::move(schedule);
}

}  // namespace

Process::Process(const core::Options& options, World world, base::Instant wall_clock)
    : world_(std::move(world)),
      schedule_(checked(options)),
      scheduler_(world_.timeline, wall_clock, world_.store.last_committed()),
      transport_(scheduler_, world_.receivers, world_.hooks),
      dispatcher_(options,
                  {.scheduler = scheduler_,
                   .store = world_.store,
                   .transport = transport_,
                   .expand = [this](const model::OperationalEvent& event) { return expand(event); },
                   .watch = world_.watch,
                   .durable = world_.durable}),
      intake_({}, {.schedule = schedule_,
                   .scheduler = scheduler_,
                   .store = world_.store,
                   .dispatcher = dispatcher_}) {
  world_.store.attach(scheduler_);
}

void Process::start(std::function<void()> ready) {
  std::vector<base::ShardId> shards(base::kShardCount);
  std::iota(shards.begin(), shards.end(), base::ShardId{0});
  dispatcher_.acquire(std::move(shards), std::move(ready));
}

std::optional<model::Publish> Process::expand(const model::OperationalEvent& event) {
  if (!world_.match_operational) {
    return std::nullopt;
  }
  const auto matches = world_.match_operational(event);
  if (matches.empty()) {
    return std::nullopt;
  }
  return intake_.make_publish(
      {.id = world_.new_event_id(), .tenant = event.tenant, .object = {}, .operational = true},
      matches);
}

}  // namespace sim
