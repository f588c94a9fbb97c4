#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "simulate/report.h"

namespace simulate {
namespace {

using base::Duration;
using model::CircuitState;
using model::Transition;
using model::TransitionReason;

constexpr size_t kRowsMax = 14;
constexpr size_t kSparkCells = 72;

class Page {
 public:
  explicit Page(Colours colours) : colours_(colours) {}

  template <class... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
    text_.erase(text_.find_last_not_of(' ') + 1);
    text_ += '\n';
  }
  void blank() { text_ += '\n'; }
  void heading(std::string_view title) {
    blank();
    line("{}", paint("1", title));
  }
  std::string state(CircuitState state, size_t width) const {
    const std::string padded = fmt::format("{:<{}}", model::name_of(state), width);
    switch (state) {
      case CircuitState::kActive:
        return paint("32", padded);
      case CircuitState::kDisabled:
        return paint("33", padded);
      case CircuitState::kFrozen:
        break;
    }
    return paint("36", padded);
  }

  std::string take() { return std::move(text_); }

 private:
  std::string paint(std::string_view code, std::string_view text) const {
    return colours_ == Colours::kOn ? fmt::format("\x1b[{}m{}\x1b[0m", code, text)
                                    : std::string(text);
  }

  Colours colours_;
  std::string text_;
};

std::string share(uint64_t part, uint64_t whole) {
  if (whole == 0 || part == 0) {
    return "";
  }
  const uint64_t per_mille = part * 1000 / whole;
  return per_mille == 0 ? "<0.1%" : fmt::format("{}.{}%", per_mille / 10, per_mille % 10);
}

// One character per cell, scaled to the largest value.
std::string sparkline(const std::vector<uint64_t>& values) {
  constexpr std::array<std::string_view, 9> kBars = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const uint64_t most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  std::string line;
  for (const uint64_t value : values) {
    // Anything above nothing shows.
    line += kBars[value == 0 ? 0 : 1 + (value - 1) * 8 / most];
  }
  return line;
}

// Attempts per minute with one digit where it is needed; per hour if even that is little.
std::string per_minute(uint64_t count, Duration width) {
  const auto ms = static_cast<uint64_t>(width.count_ms());
  const uint64_t tenths = count * 600'000 / ms;
  if (tenths >= 1000) {
    return grouped(tenths / 10);
  }
  return count > 0 && tenths == 0 ? "<0.1" : fmt::format("{}.{}", tenths / 10, tenths % 10);
}

void write_changes(Page& page, const Scenario& scenario, const Result& result) {
  page.heading("Circuit");
  if (result.changes.empty()) {
    page.line("  The endpoint stayed active all the time.");
    return;
  }
  constexpr size_t kLinesMax = 24;
  for (size_t i = 0; i < std::min(kLinesMax, result.changes.size()); ++i) {
    const Change& change = result.changes[i];
    const std::string who =
        scenario.endpoints > 1 ? fmt::format("endpoint {:<4} ", change.endpoint) : "";
    page.line("  {:>14}  {}{}  {}", spoken(change.at), who, page.state(change.transition.to, 8),
              explain(scenario, change.transition));
  }
  if (result.changes.size() > kLinesMax) {
    page.line("  ... and {} more; --json lists all.", result.changes.size() - kLinesMax);
  }
}

void write_deliveries(Page& page, const Result& result) {
  const Counts& counts = result.deliveries;
  page.heading("Deliveries");
  const auto row = [&](std::string_view name, uint64_t count, bool always) {
    if (count > 0 || always) {
      page.line("  {:<10} {:>12}  {:>6}", name, grouped(count), share(count, counts.created));
    }
  };
  page.line("  {:<10} {:>12}", "created", grouped(counts.created));
  row("delivered", counts.delivered, true);
  row("dropped", counts.dropped, true);
  row("cancelled", counts.cancelled, false);
  row("waiting", counts.waiting, false);
  row("held", counts.held, false);
  row("in flight", counts.in_flight, false);
  page.line("  {}", result.is_conserved
                        ? "Recounted in the store: none is missing, none is counted twice."
                        : "RECOUNTED IN THE STORE: THE SUMS DIFFER. This is a bug of Postrider.");
}

void write_attempts(Page& page, const Result& result) {
  page.heading("Attempts");
  const std::string probes =
      result.probes > 0 ? fmt::format("; {} of all were probes", grouped(result.probes)) : "";
  page.line("  {} made, {} failed{}", grouped(result.attempts), grouped(result.failures), probes);
}

void write_drains(Page& page, const Result& result) {
  const Drain* const drain = largest_drain(result);
  if (drain == nullptr) {
    return;
  }
  page.heading("Drain");
  page.line("  When the endpoint was enabled at {}, {} were held and due;", spoken(drain->started),
            deliveries_text(drain->deliveries));
  if (drain->ended) {
    page.line("  the last of them had its attempt {} later.",
              spoken(*drain->ended - drain->started, Precision::kExact));
  } else {
    page.line(
        "  {} of them had no attempt before {}.", grouped(drain->left),
        result.is_complete ? "the circuit closed again" : "the circuit closed or the run ended");
  }
  if (result.drains.size() > 1) {
    page.line("  This was the largest of {} drains; --json lists all.", result.drains.size());
  }
}

void write_drops(Page& page, const Result& result) {
  page.heading("Dropped");
  if (result.drops.count() == 0) {
    page.line("  Nothing.");
    return;
  }
  const Drops& drops = result.drops;
  page.line("  {}, {}:", deliveries_text(drops.count()),
            drops.count() == 1
                ? fmt::format("at {}", spoken(*drops.first))
                : fmt::format("from {} to {}", spoken(*drops.first), spoken(*drops.last)));
  if (drops.while_held > 0) {
    page.line("  {:>12}  held until the last slot had passed", grouped(drops.while_held));
  }
  if (drops.after_last_attempt > 0) {
    page.line("  {:>12}  failed at the last attempt", grouped(drops.after_last_attempt));
  }
}

void write_sparks(Page& page, const Result& result) {
  const Series series = result.series.condensed(kSparkCells);
  std::vector<uint64_t> backlog;
  std::vector<uint64_t> attempts;
  for (const Interval& interval : series.intervals()) {
    backlog.push_back(interval.at_start.waiting + interval.at_start.held);
    attempts.push_back(interval.attempts);
  }
  page.blank();
  page.line("  backlog    {}", sparkline(backlog));
  page.line("  attempts   {}", sparkline(attempts));
  page.line("             one mark is {}; most unfinished at once: {} at {}",
            spoken(series.width()), grouped(result.peak.unfinished), spoken(result.peak.at));
}

void write_series(Page& page, const Result& result) {
  const Series series = result.series.condensed(kRowsMax);
  page.heading("Over time");
  page.line("  {:>10} {:>12} {:>12} {:>10}   {:>12} {:>12} {:>10}", "", "", "", "", "attempts",
            "failed", "");
  page.line("  {:>10} {:>12} {:>12} {:>10}   {:>12} {:>12} {:>10}", "at", "waiting", "held",
            "in flight", "per minute", "per minute", "dropped");
  for (size_t i = 0; i < series.intervals().size(); ++i) {
    const Interval& interval = series.intervals()[i];
    if (i > 0 && series.start_of(i) >= result.ended_at && interval.attempts == 0) {
      break;
    }
    // The last one may be cut short by the end of the run.
    const Duration width =
        std::max(Duration::ms(1), std::min(series.width(), result.ended_at - series.start_of(i)));
    page.line("  {:>10} {:>12} {:>12} {:>10}   {:>12} {:>12} {:>10}", spoken(series.start_of(i)),
              grouped(interval.at_start.waiting), grouped(interval.at_start.held),
              grouped(interval.at_start.in_flight), per_minute(interval.attempts, width),
              per_minute(interval.failures, width), grouped(interval.dropped));
  }
  write_sparks(page, result);
}

std::string percent_failed(const Transition& transition) {
  const uint64_t tenths = uint64_t{transition.failures} * 1000 / std::max(1U, transition.attempts);
  return fmt::format("{} of {} attempts failed ({}.{}%)", grouped(transition.failures),
                     grouped(transition.attempts), tenths / 10, tenths % 10);
}

}  // namespace

std::string explain(const Scenario& scenario, const Transition& transition) {
  const core::CircuitOptions& circuit = scenario.core.circuit;
  switch (transition.reason) {
    case TransitionReason::kFailureRate:
      return fmt::format("{}, above {}%", percent_failed(transition), circuit.rate_percent);
    case TransitionReason::kFailureRateInWindow:
      return fmt::format("{} in the last {} hours, above {}%", percent_failed(transition),
                         circuit.window_hours, circuit.rate_percent);
    case TransitionReason::kConsecutiveFailures:
      return fmt::format("{} failures in a row", grouped(transition.consecutive_failures));
    case TransitionReason::kSilence:
      return fmt::format("{} failures in a row, no success for more than {}",
                         grouped(transition.consecutive_failures),
                         spoken(circuit.silence_to_freeze));
    case TransitionReason::kConsecutiveLimit:
      return fmt::format("{} failures in a row, the limit",
                         grouped(transition.consecutive_failures));
    case TransitionReason::kProbeSucceeded:
      return "a probe succeeded";
    case TransitionReason::kEnabledByHand:
      return "enabled by hand";
    case TransitionReason::kPausedByHand:
      return "paused by hand";
    case TransitionReason::kResumedByHand:
      break;
  }
  return "resumed by hand";
}

std::string schedule_table(const Scenario& scenario) {
  Page page(Colours::kOff);
  const bool from_queueing = scenario.core.retry.anchor == model::RetryAnchor::kQueued;
  page.line("{}", from_queueing
                      ? "Retry n falls due this long after the delivery was queued:"
                      : "Retry n falls due this long after queueing if outcomes are instant (each "
                        "delay\ncounts from the outcome before it):");
  page.blank();
  page.line("{:>4} {:>14}   {}", "n", "seconds", "time");
  size_t n = 0;
  for (const Duration slot : slots(scenario)) {
    n += 1;
    page.line("{:>4} {:>10}.{:03}   {}", n, slot.count_ms() / 1000, slot.count_ms() % 1000,
              spoken(slot, Precision::kExact));
  }
  page.blank();
  page.line("A delivery that a closed circuit holds is dropped {} after it was queued.",
            spoken(last_slot(scenario), Precision::kExact));
  return page.take();
}

std::string result_table(const Scenario& scenario, const Result& result, Colours colours) {
  Page page(colours);
  page.line("Simulated: {}.", workload_sentence(scenario));
  page.line("Receiver:  {}.", receiver_sentence(scenario));
  page.line(
      "The run ended at {}{}.", spoken(result.ended_at),
      result.is_complete ? ", when every delivery had ended" : ", with deliveries unfinished");
  write_changes(page, scenario, result);
  write_deliveries(page, result);
  write_attempts(page, result);
  write_drains(page, result);
  write_drops(page, result);
  write_series(page, result);
  return page.take();
}

}  // namespace simulate
