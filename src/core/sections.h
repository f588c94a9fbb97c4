// What is written, in order. During a step all changes of a shard gather in one section; sections
// of a shard become durable in the order of their numbers, and what waits for that happens in that
// order.
#pragma once

#include "core/state.h"

namespace core {

// The section of this shard in this step.
Commit& open_section(State& state, base::ShardId shard);

// Asks for `completion` when the open section of the shard is durable.
void when_durable(State& state, base::ShardId shard, const Completion& completion);

// Puts the endpoint's record, as it is now, into its shard's section.
void write_record(State& state, const Endpoint& endpoint);

// Call at the end of a step.
void close_sections(State& state);

// Carries out what waited for this section. Returns false if the shard is not ours any more.
bool section_done(State& state, const SectionDone& done);

// Tries again what could not be committed, if the time has come.
void resubmit_if_due(State& state, base::ShardId shard);

}  // namespace core
