#include "tests/sim/checks/commands_check.h"

#include <fmt/format.h>

#include <algorithm>

namespace checks {
namespace {

using model::TransitionReason;

bool does(const model::Transition& transition, CommandKind kind) {
  switch (kind) {
    case CommandKind::kEnable:
      return transition.to == model::CircuitState::kActive &&
             transition.from != model::CircuitState::kActive;
    case CommandKind::kPause:
      return transition.reason == TransitionReason::kPausedByHand;
    case CommandKind::kResume:
      return transition.reason == TransitionReason::kResumedByHand;
    case CommandKind::kCancel:
    case CommandKind::kRemoveSubscription:
      return false;
  }
  return false;
}

bool does(const model::Section& section, const CommandAsked& asked) {
  if (asked.kind == CommandKind::kCancel) {
    return std::ranges::any_of(section.deliveries, [&](const auto& change) {
      return change.delivery == asked.delivery && change.end == model::EndState::kCancelled;
    });
  }
  return std::ranges::any_of(section.transitions, [&](const auto& transition) {
    return transition.endpoint == asked.endpoint && does(transition, asked.kind);
  });
}

const char* name(CommandKind kind) {
  switch (kind) {
    case CommandKind::kEnable:
      return "enable";
    case CommandKind::kPause:
      return "pause";
    case CommandKind::kResume:
      return "resume";
    case CommandKind::kCancel:
      return "cancel";
    case CommandKind::kRemoveSubscription:
      return "remove";
  }
  return "?";
}

}  // namespace

bool CommandsCheck::is_settled(const CommandAsked& asked) const {
  const CircuitView& circuit = ledger_.endpoint(asked.endpoint).circuit;
  switch (asked.kind) {
    case CommandKind::kEnable:
      return circuit.state == model::CircuitState::kActive;
    case CommandKind::kPause:
      return circuit.paused;
    case CommandKind::kResume:
      return !circuit.paused;
    case CommandKind::kCancel:
    case CommandKind::kRemoveSubscription:
      return true;
  }
  return true;
}

void CommandsCheck::asked(base::Instant /*at*/, const CommandAsked& asked) {
  if (asked.kind == CommandKind::kRemoveSubscription) {
    return;  // never answered
  }
  open_[asked.command] = {.asked = asked, .was_settled = is_settled(asked)};
}

// Whoever asked lost the connection.
void CommandsCheck::crashed(base::Instant /*at*/) { open_.clear(); }

void CommandsCheck::run_ended(base::Instant at) {
  for (const auto& [command, open] : open_) {
    report_.add("command-unanswered", at,
                fmt::format("command {} ({}) was never answered", command, name(open.asked.kind)));
  }
}

void CommandsCheck::submitted(base::Instant /*at*/, const model::Section& section) {
  for (auto& [id, open] : open_) {
    open.was_settled = open.was_settled || is_settled(open.asked) || does(section, open.asked);
  }
}

void CommandsCheck::committed(base::Instant /*at*/, const model::Section& section) {
  for (auto& [id, open] : open_) {
    open.is_durable = open.is_durable || does(section, open.asked);
  }
}

void CommandsCheck::answered(base::Instant at, const CommandAnswered& answered) {
  const auto found = open_.find(answered.command);
  if (found == open_.end()) {
    report_.add(
        "command-answer", at,
        fmt::format("command {} was answered, but not asked or answered before", answered.command));
    return;
  }
  check(at, found->second, answered.answer);
  open_.erase(found);
}

void CommandsCheck::check(base::Instant at, const Open& open, CommandAnswer answer) {
  if (answer == CommandAnswer::kDone && !open.is_durable) {
    report_.add("command-answer", at,
                fmt::format("{} (command {}) was answered with done, but nothing became durable",
                            name(open.asked.kind), open.asked.command));
  }
  if (answer == CommandAnswer::kUnchanged && !open.was_settled && !is_settled(open.asked)) {
    report_.add("command-answer", at,
                fmt::format("{} (command {}) was answered with unchanged, but there was something "
                            "to change",
                            name(open.asked.kind), open.asked.command));
  }
}

}  // namespace checks
