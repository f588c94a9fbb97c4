#include "core/sections.h"

#include <algorithm>

#include "base/check.h"
#include "core/attempts.h"
#include "core/checkpoint.h"
#include "core/commands.h"
#include "core/expiry.h"
#include "core/queueing.h"

namespace core {
namespace {

void carry_out(State& state, const Completion& completion) {
  if (const auto* attempt = std::get_if<AttemptDurable>(&completion)) {
    attempt_durable(state, attempt->slot);
  } else if (const auto* record = std::get_if<RecordDurable>(&completion)) {
    record_durable(state, record->delivery);
  } else if (const auto* move = std::get_if<MoveDurable>(&completion)) {
    move_durable(state, move->from, move->to);
  } else if (const auto* end = std::get_if<EndDurable>(&completion)) {
    end_durable(state, end->delivery, end->command);
  } else if (const auto* command = std::get_if<CommandDurable>(&completion)) {
    state.emit(CommandDone{.command = command->command, .result = CommandResult::kDone});
  }
}

void stall(State& state, Shard& shard, base::ShardId id) {
  if (!shard.resubmit_at) {
    shard.resubmit_at = state.now + state.options.own_failure_delay;
    state.timers.wake_by(id, *shard.resubmit_at);
  }
}

}  // namespace

Commit& open_section(State& state, base::ShardId id) {
  Shard& shard = state.shards[id];
  CHECK(shard.owned);
  if (shard.open_effect == kNoIndex) {
    shard.open_effect = static_cast<uint32_t>(state.effects->size());
    state.open_shards.push_back(id);
    const uint64_t number = shard.next_number++;
    shard.pending.push_back({.number = number});
    Commit& commit = std::get<Commit>(state.effects->emplace_back(Commit{}));
    commit.section.shard = id;
    commit.section.epoch = shard.epoch;
    commit.section.number = number;
  }
  return std::get<Commit>((*state.effects)[shard.open_effect]);
}

void when_durable(State& state, base::ShardId id, const Completion& completion) {
  Shard& shard = state.shards[id];
  CHECK(shard.open_effect != kNoIndex);
  shard.pending.back().completions += 1;
  shard.completions.push_back(completion);
}

void write_record(State& state, const Endpoint& endpoint) {
  auto& records = open_section(state, endpoint.record.id.shard()).section.endpoints;
  const auto earlier = std::find_if(
      records.begin(), records.end(),
      [&](const model::EndpointRecord& record) { return record.id == endpoint.record.id; });
  if (earlier == records.end()) {
    records.push_back(endpoint.record);
  } else {
    *earlier = endpoint.record;
  }
}

void close_sections(State& state) {
  for (const base::ShardId id : state.open_shards) {
    state.shards[id].open_effect = kNoIndex;
  }
  state.open_shards.clear();
}

bool section_done(State& state, const SectionDone& done) {
  Shard& shard = state.shards[done.shard];
  if (!shard.owned || done.outcome == SectionOutcome::kFenced) {
    return false;
  }
  // An answer to a submission that was repeated meanwhile.
  if (shard.pending.empty() || done.number < shard.pending.front().number) {
    return true;
  }
  if (done.outcome == SectionOutcome::kNotCommitted) {
    stall(state, shard, done.shard);
    return true;
  }
  CHECK_EQ(done.number, shard.pending.front().number);
  const uint32_t completions = shard.pending.front().completions;
  shard.pending.pop_front();
  for (uint32_t i = 0; i < completions; ++i) {
    const Completion completion = shard.completions.front();
    shard.completions.pop_front();
    carry_out(state, completion);
  }
  for (const model::Delivery& delivery : done.promoted) {
    promoted(state, delivery);
  }
  pass_barrier(state, done.shard, done.number);
  return true;
}

void resubmit_if_due(State& state, base::ShardId id) {
  Shard& shard = state.shards[id];
  if (!shard.resubmit_at) {
    return;
  }
  if (*shard.resubmit_at > state.now) {
    state.timers.wake_by(id, *shard.resubmit_at);
    return;
  }
  shard.resubmit_at.reset();
  state.emit(Resubmit{.shard = id});
}

}  // namespace core
