// The picture of a run: one time axis, and on it the circuit, the backlog, the send rate and, if
// there are any, the dropped deliveries. Changes of the circuit are numbered and explained below,
// so that labels never overlap however close the changes are.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "simulate/chart_scale.h"
#include "simulate/report.h"
#include "simulate/svg_canvas.h"

namespace simulate {
namespace {

using base::Duration;
using model::CircuitState;

constexpr double kWidth = 1000;
constexpr double kLeft = 76;
constexpr double kRight = 28;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kGap = 30;
constexpr double kBacklogHeight = 190;
constexpr double kRateHeight = 140;
constexpr double kDroppedHeight = 80;
constexpr size_t kNotesMax = 10;

constexpr std::string_view kHeldFill = "fill=\"#e9a23b\"";
constexpr std::string_view kWaitingFill = "fill=\"#7fb2e5\"";
constexpr std::string_view kFailedFill = "fill=\"#d64545\"";
constexpr std::string_view kDroppedFill = "fill=\"#6b4c9a\"";
constexpr std::string_view kSentStroke =
    "fill=\"none\" stroke=\"#1f6f54\" stroke-width=\"1.6\" stroke-linejoin=\"round\"";
constexpr std::string_view kInk = "font-size=\"12\" fill=\"#333a45\"";
constexpr std::string_view kFaintEnd = "font-size=\"11\" fill=\"#6a7280\" text-anchor=\"end\"";
// Over a white edge, because lines may pass behind it.
constexpr std::string_view kPanelTitle =
    "font-size=\"12\" font-weight=\"600\" fill=\"#333a45\" stroke=\"#ffffff\" "
    "stroke-width=\"4\" paint-order=\"stroke\"";
constexpr std::string_view kLegend =
    "font-size=\"11\" fill=\"#6a7280\" text-anchor=\"end\" stroke=\"#ffffff\" "
    "stroke-width=\"4\" paint-order=\"stroke\"";
constexpr std::string_view kFaintMiddle =
    "font-size=\"11\" fill=\"#6a7280\" text-anchor=\"middle\"";

std::string_view band_fill(CircuitState state) {
  switch (state) {
    case CircuitState::kActive:
      return "fill=\"#cfe8d5\"";
    case CircuitState::kDisabled:
      return "fill=\"#f7d9a8\"";
    case CircuitState::kFrozen:
      break;
  }
  return "fill=\"#a9d8e6\"";
}

// Changes that are too close to be told apart in the picture share a mark.
struct Mark {
  size_t first = 0;  // of the changes
  size_t last = 0;
  double x = 0;

  std::string label() const {
    return first == last ? fmt::format("{}", first + 1) : fmt::format("{}–{}", first + 1, last + 1);
  }
  double width() const {
    // The dash between two numbers has three bytes.
    const size_t letters = first == last ? label().size() : label().size() - 2;
    return std::max(16.0, 9 + 6.6 * static_cast<double>(letters));
  }
};

// A panel under the circuit band: a scale at the left, and a title above it.
struct Panel {
  double top = 0;
  double height = 0;
  std::string title;
  Axis axis;

  double bottom() const { return top + height; }
  double y(double value) const { return bottom() - value / axis.max * height; }
};

class Picture {
 public:
  Picture(const Scenario& scenario, const Result& result)
      : scenario_(scenario), result_(result), time_(time_axis(result.ended_at)) {
    std::copy_if(result.changes.begin(), result.changes.end(), std::back_inserter(changes_),
                 [](const Change& change) { return change.endpoint == 1; });
    place_marks();
  }

  std::string draw() {
    draw_head();
    draw_band();
    draw_marks();
    draw_backlog();
    draw_send_rate();
    if (result_.drops.count() > 0) {
      draw_dropped();
    }
    draw_time_axis();
    draw_notes();
    draw_totals();
    return canvas_.take(kWidth, cursor_ + 16, title());
  }

 private:
  double x(Duration at) const {
    return kLeft + static_cast<double>(at.count_ms()) / time_.max * kPlotWidth;
  }

  std::string title() const {
    if (scenario_.latency >= scenario_.core.attempt_deadline) {
      return "An endpoint that is too slow for its deadline";
    }
    if (scenario_.down <= Duration()) {
      return "An endpoint that is up";
    }
    return scenario_.down == kForever
               ? "An endpoint that never comes back"
               : fmt::format("An endpoint that is down for {}", spoken(scenario_.down));
  }

  void draw_head() {
    canvas_.text({.x = 24, .y = 38}, title(),
                 "font-size=\"21\" font-weight=\"600\" fill=\"#1c2330\"");
    canvas_.text({.x = 24, .y = 60}, fmt::format("Sent: {}.", workload_sentence(scenario_)), kInk);
    canvas_.text({.x = 24, .y = 77}, fmt::format("Receiver: {}.", receiver_sentence(scenario_)),
                 kInk);
    canvas_.text({.x = kWidth - 24, .y = 38}, "postrider simulate", kFaintEnd);
    cursor_ = marks_.empty() ? 100 : 116;
  }

  void place_marks() {
    for (size_t i = 0; i < changes_.size(); ++i) {
      const double at = x(changes_[i].at);
      const bool joins = !marks_.empty() && at - marks_.back().x < marks_.back().width() + 10;
      if (joins) {
        marks_.back().last = i;
      } else {
        marks_.push_back({.first = i, .last = i, .x = at});
      }
    }
  }

  // The time with each state, as a strip; its names are written where they fit.
  void draw_band() {
    constexpr double kHeight = 22;
    canvas_.text({.x = kLeft - 8, .y = cursor_ + 15}, "circuit", kFaintEnd);
    CircuitState state = CircuitState::kActive;
    double from = kLeft;
    const auto paint = [&](double to) {
      canvas_.rect({.x = from, .y = cursor_, .width = to - from, .height = kHeight},
                   band_fill(state));
      if (to - from > 60) {
        canvas_.text({.x = (from + to) / 2, .y = cursor_ + 15}, model::name_of(state),
                     "font-size=\"12\" fill=\"#333a45\" text-anchor=\"middle\"");
      }
      from = to;
    };
    for (const Change& change : changes_) {
      paint(x(change.at));
      state = change.transition.to;
    }
    paint(kLeft + kPlotWidth);
    band_top_ = cursor_;
    cursor_ += kHeight + kGap;
  }

  Panel open_panel(double height, std::string title, double most) {
    const Panel panel{
        .top = cursor_, .height = height, .title = std::move(title), .axis = count_axis(most)};
    canvas_.text({.x = kLeft, .y = panel.top - 9}, panel.title, kPanelTitle);
    for (const Tick& tick : panel.axis.ticks) {
      const double at = panel.y(tick.value);
      canvas_.line({.x = kLeft, .y = at}, {.x = kLeft + kPlotWidth, .y = at},
                   tick.value == 0 ? "stroke=\"#8a919c\"" : "stroke=\"#e6e9ee\"");
      canvas_.text({.x = kLeft - 8, .y = at + 4}, tick.label, kFaintEnd);
    }
    cursor_ = panel.bottom() + kGap;
    return panel;
  }

  void draw_legend(const Panel& panel,
                   std::initializer_list<std::pair<std::string_view, std::string_view>> entries) {
    double right = kLeft + kPlotWidth;
    for (auto entry = std::rbegin(entries); entry != std::rend(entries); ++entry) {
      canvas_.rect({.x = right - 11, .y = panel.top - 18, .width = 11, .height = 10},
                   entry->second);
      canvas_.text({.x = right - 16, .y = panel.top - 9}, entry->first, kLegend);
      right -= 6.2 * static_cast<double>(entry->first.size()) + 32;
    }
  }

  // The outline of values that hold from the start of each interval, closed along the zero line.
  std::string steps(const Panel& panel, const std::function<double(const Interval&)>& value,
                    bool is_closed) const {
    std::string path;
    const Series& series = result_.series;
    const double end = x(result_.ended_at);
    const auto add = [&](char command, double at, double y) {
      fmt::format_to(std::back_inserter(path), "{}{:.1f},{:.1f}", command, at, y);
    };
    add('M', kLeft, is_closed ? panel.bottom() : panel.y(value(series.intervals().front())));
    for (size_t i = 0; i < series.intervals().size(); ++i) {
      const double y = panel.y(value(series.intervals()[i]));
      add('L', std::min(end, x(series.start_of(i))), y);
      add('L', std::min(end, x(series.start_of(i + 1))), y);
    }
    if (is_closed) {
      add('L', end, panel.bottom());
      path += 'Z';
    }
    return path;
  }

  // Straight lines between the samples: a backlog grows and shrinks steadily.
  std::string slope(const Panel& panel, const std::function<double(const Backlog&)>& value) const {
    std::string path = fmt::format("M{:.1f},{:.1f}", kLeft, panel.bottom());
    const Series& series = result_.series;
    const auto add = [&](Duration at, const Backlog& backlog) {
      fmt::format_to(std::back_inserter(path), "L{:.1f},{:.1f}", x(at), panel.y(value(backlog)));
    };
    for (size_t i = 0; i < series.intervals().size(); ++i) {
      add(std::min(series.start_of(i), result_.ended_at), series.intervals()[i].at_start);
    }
    const Counts& end = result_.deliveries;
    add(result_.ended_at, {.waiting = end.waiting, .held = end.held, .in_flight = end.in_flight});
    return path + fmt::format("L{:.1f},{:.1f}Z", x(result_.ended_at), panel.bottom());
  }

  void draw_backlog() {
    double most = 1;
    for (const Interval& interval : result_.series.intervals()) {
      most =
          std::max(most, static_cast<double>(interval.at_start.held + interval.at_start.waiting));
    }
    const Panel panel = open_panel(kBacklogHeight, "Backlog: deliveries not in flight", most);
    const auto all = [](const Backlog& at) { return static_cast<double>(at.held + at.waiting); };
    const auto held = [](const Backlog& at) { return static_cast<double>(at.held); };
    canvas_.path(slope(panel, all), kWaitingFill);
    canvas_.path(slope(panel, held), kHeldFill);
    draw_legend(panel, {{"held by the circuit", kHeldFill}, {"waiting to be sent", kWaitingFill}});
  }

  // Attempts of an interval in the unit of the panel.
  double per(double unit_ms, uint64_t count) const {
    return static_cast<double>(count) * unit_ms /
           static_cast<double>(result_.series.width().count_ms());
  }

  struct RateUnit {
    double ms = 60'000;
    std::string name = "minute";
  };

  // Per minute, or per interval if that would be a fraction all the time.
  RateUnit rate_unit(uint64_t most) const {
    const Duration width = result_.series.width();
    return per(60'000, most) >= 2
               ? RateUnit{}
               : RateUnit{.ms = static_cast<double>(width.count_ms()), .name = spoken(width)};
  }

  void draw_send_rate() {
    uint64_t most = 0;
    for (const Interval& interval : result_.series.intervals()) {
      most = std::max(most, interval.attempts);
    }
    const RateUnit unit = rate_unit(most);
    const Panel panel = open_panel(
        kRateHeight, fmt::format("Send rate: attempts per {}", unit.name), per(unit.ms, most));
    const auto sent = [&](const Interval& of) { return per(unit.ms, of.attempts); };
    // Any failure shows, also a single probe beside a drain of thousands.
    const double least = panel.axis.max * 3 / panel.height;
    const auto failed = [&](const Interval& of) {
      return of.failures == 0 ? 0 : std::max(least, per(unit.ms, of.failures));
    };
    canvas_.path(steps(panel, sent, false), kSentStroke);
    canvas_.path(steps(panel, failed, true), kFailedFill);
    draw_legend(panel, {{"all attempts", "fill=\"#1f6f54\""}, {"failed", kFailedFill}});
  }

  void draw_dropped() {
    uint64_t most = 0;
    for (const Interval& interval : result_.series.intervals()) {
      most = std::max(most, interval.dropped);
    }
    const RateUnit unit = rate_unit(most);
    const Panel panel =
        open_panel(kDroppedHeight, fmt::format("Dropped per {}", unit.name), per(unit.ms, most));
    const auto dropped = [&](const Interval& of) { return per(unit.ms, of.dropped); };
    canvas_.path(steps(panel, dropped, true), kDroppedFill);
  }

  void draw_time_axis() {
    cursor_ -= kGap;
    for (const Tick& tick : time_.ticks) {
      const double at = kLeft + tick.value / time_.max * kPlotWidth;
      canvas_.line({.x = at, .y = cursor_}, {.x = at, .y = cursor_ + 5}, "stroke=\"#8a919c\"");
      canvas_.text({.x = at, .y = cursor_ + 18}, tick.label, kFaintMiddle);
    }
    canvas_.text({.x = kLeft + kPlotWidth / 2, .y = cursor_ + 35}, "time since the first event",
                 kFaintMiddle);
    cursor_ += 62;
  }

  // Before the panels, so that the lines are behind what the panels say.
  void draw_marks() {
    const double bottom = cursor_ + panels_height();
    for (const Mark& mark : marks_) {
      canvas_.line({.x = mark.x, .y = band_top_}, {.x = mark.x, .y = bottom},
                   "stroke=\"#333a45\" stroke-width=\"1\" stroke-dasharray=\"2 4\"");
      draw_pill(mark, {.x = mark.x, .y = band_top_ - 17});
    }
  }

  double panels_height() const {
    const double dropped = result_.drops.count() > 0 ? kGap + kDroppedHeight : 0;
    return kBacklogHeight + kGap + kRateHeight + dropped;
  }

  // The number of a change on a dark ground; `at` is its upper middle.
  void draw_pill(const Mark& mark, Point at) {
    const double width = mark.width();
    canvas_.rect({.x = at.x - width / 2, .y = at.y, .width = width, .height = 15},
                 "rx=\"7.5\" fill=\"#333a45\"");
    canvas_.text({.x = at.x, .y = at.y + 11.5}, mark.label(),
                 "font-size=\"11\" font-weight=\"600\" fill=\"#ffffff\" text-anchor=\"middle\"");
  }

  void draw_notes() {
    if (scenario_.endpoints > 1) {
      note(fmt::format("Circuit of endpoint 1 of {}; all of them behave alike.",
                       scenario_.endpoints));
    }
    if (marks_.empty()) {
      note("The circuit stayed active all the time.");
    }
    for (size_t i = 0; i < std::min(marks_.size(), kNotesMax); ++i) {
      draw_pill(marks_[i], {.x = kLeft - 8 + marks_[i].width() / 2, .y = cursor_ - 11.5});
      canvas_.text({.x = kLeft + 58, .y = cursor_}, describe(marks_[i]), kInk);
      cursor_ += 20;
    }
    if (marks_.size() > kNotesMax) {
      note(fmt::format("... and {} more.", marks_.size() - kNotesMax));
    }
  }

  void note(std::string_view text) {
    canvas_.text({.x = kLeft - 8, .y = cursor_}, text, kInk);
    cursor_ += 20;
  }

  std::string describe(const Change& change) const {
    return fmt::format("{}: {}", model::name_of(change.transition.to),
                       explain(scenario_, change.transition));
  }

  std::string describe(const Mark& mark) const {
    const Change& first = changes_[mark.first];
    const Change& last = changes_[mark.last];
    if (mark.first == mark.last) {
      return fmt::format("{} — {}", spoken(last.at), describe(last));
    }
    if (mark.last == mark.first + 1) {
      return fmt::format("{} — {}; {} later {}", spoken(first.at), describe(first),
                         spoken(last.at - first.at), describe(last));
    }
    return fmt::format("{} to {} — {} changes, the last: {}", spoken(first.at), spoken(last.at),
                       mark.last - mark.first + 1, describe(last));
  }

  void draw_totals() {
    const Counts& counts = result_.deliveries;
    std::string totals =
        fmt::format("{}: {} delivered, {} dropped", deliveries_text(counts.created),
                    grouped(counts.delivered), grouped(counts.dropped));
    if (!result_.is_complete) {
      totals +=
          fmt::format(", {} unfinished", grouped(counts.waiting + counts.held + counts.in_flight));
    }
    totals += fmt::format(". {} attempts, {} failed.", grouped(result_.attempts),
                          grouped(result_.failures));
    cursor_ += 4;
    note(totals);
    const Drain* const drain = largest_drain(result_);
    if (drain != nullptr && drain->ended) {
      note(fmt::format("The drain of {} that were held took {}.",
                       deliveries_text(drain->deliveries), spoken(*drain->ended - drain->started)));
    }
    cursor_ -= 12;
  }

  const Scenario& scenario_;
  const Result& result_;
  Axis time_;
  std::vector<Change> changes_;  // of the first endpoint
  std::vector<Mark> marks_;
  SvgCanvas canvas_;
  double cursor_ = 0;  // the next thing goes here
  double band_top_ = 0;
};

}  // namespace

std::string result_svg(const Scenario& scenario, const Result& result) {
  return Picture(scenario, result).draw();
}

}  // namespace simulate
