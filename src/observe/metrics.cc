#include "observe/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace observe {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 4> kEventResults = {"accepted", "repeated", "rejected",
                                                           "unavailable"};
constexpr std::array<std::string_view, 7> kDeliveryStates = {
    "delivered", "dropped", "cancelled", "expired", "waiting", "held", "in_flight"};
constexpr std::array<std::string_view, 2> kAttemptResults = {"success", "failure"};
// The names of model::OutcomeKind; a test of src/config compares the two.
constexpr std::array<std::string_view, 9> kOutcomes = {
    "response",        "timeout", "dns_failed",     "connect_failed", "tls_failed",
    "address_refused", "reset",   "protocol_error", "not_started"};
constexpr std::array<std::string_view, 4> kEndpointStates = {"active", "disabled", "frozen",
                                                             "paused"};
constexpr std::array<std::string_view, 5> kStatusClasses = {"1xx", "2xx", "3xx", "4xx", "5xx"};
constexpr std::array<std::string_view, 4> kLevels = {"error", "warn", "info", "debug"};
constexpr std::array<std::string_view, 1> kVersions = {POSTRIDER_VERSION};

// From a fast disk's sync to a receiver's patience.
constexpr std::array<double, 16> kSeconds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                             0.01,   0.025,   0.05,   0.1,   0.25,   0.5,
                                             1,      2.5,     5,      10};

constexpr std::array kRows = {
    MetricRow{.metric = Metric::kEvents,
              .name = "postrider_events_total",
              .kind = MetricKind::kCounter,
              .help = "Events that producers published, by what they were told.",
              .label = "result",
              .label_values = kEventResults},
    MetricRow{.metric = Metric::kDeliveriesCreated,
              .name = "postrider_deliveries_created_total",
              .kind = MetricKind::kCounter,
              .help =
                  "Deliveries ever created, as the store has counted them; as many as the sum of "
                  "postrider_deliveries, unless some were lost."},
    MetricRow{.metric = Metric::kDeliveries,
              .name = "postrider_deliveries",
              .kind = MetricKind::kGauge,
              .help = "What became of the deliveries ever created: those that ended as the store "
                      "has counted them (expired ones were removed since), those that did not as "
                      "whoever sends them counts them.",
              .label = "state",
              .label_values = kDeliveryStates},
    MetricRow{.metric = Metric::kStoredEvents,
              .name = "postrider_stored_events",
              .kind = MetricKind::kGauge,
              .help = "Events in the store."},
    MetricRow{.metric = Metric::kAttempts,
              .name = "postrider_attempts_total",
              .kind = MetricKind::kCounter,
              .help = "Attempts that ended.",
              .label = "result",
              .label_values = kAttemptResults},
    MetricRow{.metric = Metric::kAttemptOutcomes,
              .name = "postrider_attempt_outcomes_total",
              .kind = MetricKind::kCounter,
              .help = "How attempts ended; those that were not started for a reason of our own "
                      "are no attempts.",
              .label = "outcome",
              .label_values = kOutcomes},
    MetricRow{.metric = Metric::kAttemptsInFlight,
              .name = "postrider_attempts_in_flight",
              .kind = MetricKind::kGauge,
              .help = "Attempts under way, until their outcome is durable."},
    MetricRow{.metric = Metric::kDueLateness,
              .name = "postrider_due_lateness_seconds",
              .kind = MetricKind::kHistogram,
              .help = "How long after its due time an attempt started.",
              .bounds = kSeconds},
    MetricRow{.metric = Metric::kOldestWaitingAge,
              .name = "postrider_oldest_waiting_age_seconds",
              .kind = MetricKind::kGauge,
              .help = "How long the delivery that is most overdue has waited; 0 if none is."},
    MetricRow{.metric = Metric::kEndpoints,
              .name = "postrider_endpoints",
              .kind = MetricKind::kGauge,
              .help = "Endpoints by the state of their circuit; a paused one counts as paused.",
              .label = "state",
              .label_values = kEndpointStates},
    MetricRow{.metric = Metric::kPublishSeconds,
              .name = "postrider_publish_seconds",
              .kind = MetricKind::kHistogram,
              .help = "From a complete request to publish until its answer, in whole milliseconds.",
              .bounds = kSeconds},
    MetricRow{.metric = Metric::kCommitSeconds,
              .name = "postrider_commit_seconds",
              .kind = MetricKind::kHistogram,
              .help = "How long the store took for a commit, of everything that waited for it.",
              .bounds = kSeconds},
    MetricRow{.metric = Metric::kSyncSeconds,
              .name = "postrider_sync_seconds",
              .kind = MetricKind::kHistogram,
              .help = "How long the disk took to make a commit durable.",
              .bounds = kSeconds},
    MetricRow{.metric = Metric::kStoreAvailable,
              .name = "postrider_store_available",
              .kind = MetricKind::kGauge,
              .help = "1 if the store takes events, 0 while publishing is answered 503."},
    MetricRow{.metric = Metric::kHttpRequests,
              .name = "postrider_http_requests_total",
              .kind = MetricKind::kCounter,
              .help = "Requests to the API, by the class of the status they were answered with.",
              .label = "status",
              .label_values = kStatusClasses},
    MetricRow{.metric = Metric::kHttpConnections,
              .name = "postrider_http_connections",
              .kind = MetricKind::kGauge,
              .help = "Inbound connections that are open."},
    MetricRow{.metric = Metric::kHttpRefusedConnections,
              .name = "postrider_http_refused_connections_total",
              .kind = MetricKind::kCounter,
              .help = "Inbound connections that were refused for want of room."},
    MetricRow{.metric = Metric::kStreams,
              .name = "postrider_streams",
              .kind = MetricKind::kGauge,
              .help = "Streams of the live tail that are open."},
    MetricRow{.metric = Metric::kStreamLeftOut,
              .name = "postrider_stream_left_out_total",
              .kind = MetricKind::kCounter,
              .help = "Messages of the live tail that were left out because a reader was slow."},
    MetricRow{.metric = Metric::kOutboundConnections,
              .name = "postrider_outbound_connections",
              .kind = MetricKind::kGauge,
              .help = "Connections to receivers that are open, in use or idle."},
    MetricRow{.metric = Metric::kLogLines,
              .name = "postrider_log_lines_total",
              .kind = MetricKind::kCounter,
              .help = "Lines written to the log.",
              .label = "level",
              .label_values = kLevels},
    MetricRow{.metric = Metric::kLogLinesDropped,
              .name = "postrider_log_lines_dropped_total",
              .kind = MetricKind::kCounter,
              .help = "Lines that were not written to the log because nobody took them."},
    MetricRow{.metric = Metric::kBuild,
              .name = "postrider_build_info",
              .kind = MetricKind::kFact,
              .help = "The version that runs.",
              .label = "version",
              .label_values = kVersions},
    MetricRow{.metric = Metric::kStartTime,
              .name = "postrider_start_time_seconds",
              .kind = MetricKind::kGauge,
              .help = "When the process started, in seconds since 1970."},
    MetricRow{.metric = Metric::kResidentMemory,
              .name = "postrider_resident_memory_bytes",
              .kind = MetricKind::kGauge,
              .help = "Memory that the process has in use."},
};
static_assert(kRows.size() == kMetricCount);

size_t cells_of(const MetricRow& row) {
  if (row.kind == MetricKind::kHistogram) {
    return row.bounds.size() + 2;  // the bucket without a bound, and the sum
  }
  return std::max<size_t>(row.label_values.size(), 1);
}

std::string_view type_word(MetricKind kind) {
  switch (kind) {
    case MetricKind::kCounter:
      return "counter";
    case MetricKind::kHistogram:
      return "histogram";
    case MetricKind::kGauge:
    case MetricKind::kFact:
      break;
  }
  return "gauge";
}

void append_count(std::string& out, uint64_t count) {
  fmt::format_to(std::back_inserter(out), "{}\n", count);
}

// Prometheus writes what has no value as NaN, and the rest like C.
void append_number(std::string& out, double number) {
  if (std::isnan(number)) {
    out += "NaN\n";
  } else if (std::isinf(number)) {
    out += number > 0 ? "+Inf\n" : "-Inf\n";
  } else {
    fmt::format_to(std::back_inserter(out), "{}\n", number);
  }
}

void append_escaped(std::string& out, std::string_view text, bool is_label) {
  for (const char letter : text) {
    if (letter == '\n') {
      out += "\\n";
    } else if (letter == '\\' || (is_label && letter == '"')) {
      out += {'\\', letter};
    } else {
      out += letter;
    }
  }
}

std::string label_text(const MetricRow& row, size_t index) {
  if (row.label.empty()) {
    return {};
  }
  std::string text = fmt::format("{{{}=\"", row.label);
  append_escaped(text, row.label_values[index], true);
  return text + "\"}";
}

std::string heading(const MetricRow& row) {
  std::string text = fmt::format("# HELP {} ", row.name);
  append_escaped(text, row.help, false);
  return text + fmt::format("\n# TYPE {} {}\n", row.name, type_word(row.kind));
}

std::string labels_for_people(const MetricRow& row) {
  if (row.label.empty()) {
    return {};
  }
  std::string text = fmt::format("`{}`", row.label);
  if (row.kind != MetricKind::kFact) {
    std::string_view separator = ": ";
    for (const std::string_view value : row.label_values) {
      text += fmt::format("{}{}", std::exchange(separator, ", "), value);
    }
  }
  return text;
}

constexpr std::string_view kPageStart =
    "# Metrics\n"
    "\n"
    "<!-- Written from the table in src/observe/metrics.cc; a test says when it is stale. -->\n"
    "\n"
    "`GET /metrics` answers in the text format of Prometheus. Every metric is always there, and\n"
    "labels are closed sets: nothing that is published or received makes the list longer.\n"
    "\n"
    "Deliveries are counted twice, and the two sides must agree:\n"
    "\n"
    "```\n"
    "postrider_deliveries_created_total == sum(postrider_deliveries)\n"
    "```\n"
    "\n"
    "What was created and what has ended is counted by the store; what is waiting, held and in\n"
    "flight by whoever sends it, for each endpoint. They agree in each answer, also under load;\n"
    "a difference means that something is stored which nobody knows of. Both are counts: whether\n"
    "each delivery has the records that it needs is what `postrider audit` looks at.\n"
    "\n"
    "Worth an alarm: that difference, `postrider_store_available` at 0,\n"
    "`postrider_oldest_waiting_age_seconds` that grows, `postrider_deliveries{state=\"dropped\"}`\n"
    "that grows, and `postrider_endpoints{state=\"frozen\"}` above 0: a frozen endpoint waits for "
    "a\n"
    "person.\n"
    "\n"
    "| Metric | Type | Labels | Meaning |\n"
    "|---|---|---|---|\n";

}  // namespace

std::span<const MetricRow> metric_rows() { return kRows; }

Metrics::Metrics() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    CHECK_EQ(static_cast<size_t>(kRows[i].metric), i);
    first_[i + 1] = first_[i] + cells_of(kRows[i]);
    add_lines(kRows[i]);
  }
  CHECK_LE(first_.back(), kCellsMax);
  set(Metric::kBuild, 1);
}

void Metrics::add_lines(const MetricRow& row) {
  std::string start = heading(row);
  size_t at = first_[static_cast<size_t>(row.metric)];
  const auto add = [&](const std::string& suffix, Shows shows, size_t cell) {
    lines_.push_back(
        {fmt::format("{}{}{} ", std::exchange(start, {}), row.name, suffix), shows, cell});
  };
  if (row.kind != MetricKind::kHistogram) {
    const Shows shows = row.kind == MetricKind::kCounter ? Shows::kCount : Shows::kNumber;
    for (size_t i = 0; i < cells_of(row); ++i) {
      add(label_text(row, i), shows, at++);
    }
    return;
  }
  for (const double bound : row.bounds) {
    add(fmt::format("_bucket{{le=\"{}\"}}", bound), Shows::kBucket, at++);
  }
  add("_bucket{le=\"+Inf\"}", Shows::kBucket, at++);
  add("_sum", Shows::kSeconds, at);
  add("_count", Shows::kAllBuckets, at);
}

void Metrics::observe(Metric metric, double seconds) {
  const std::span<const double> bounds = kRows[static_cast<size_t>(metric)].bounds;
  const auto bucket =
      static_cast<size_t>(std::ranges::lower_bound(bounds, seconds) - bounds.begin());
  add_cell(cell(metric, bucket), 1);
  add_cell(cell(metric, bounds.size() + 1), static_cast<uint64_t>(std::llround(seconds * 1e9)));
}

void Metrics::add_collector(std::function<void(Metrics&)> collector) {
  collectors_.push_back(std::move(collector));
}

void Metrics::write_prometheus(std::string& out) {
  for (const auto& collector : collectors_) {
    collector(*this);
  }
  uint64_t in_buckets = 0;
  for (const Line& line : lines_) {
    const uint64_t bits = load_cell(line.cell);
    out += line.before;
    switch (line.shows) {
      case Shows::kCount:
        append_count(out, bits);
        break;
      case Shows::kNumber:
        append_number(out, std::bit_cast<double>(bits));
        break;
      case Shows::kBucket:
        in_buckets += bits;
        append_count(out, in_buckets);
        break;
      case Shows::kSeconds:
        append_number(out, static_cast<double>(bits) / 1e9);
        break;
      case Shows::kAllBuckets:
        append_count(out, std::exchange(in_buckets, 0));
        break;
    }
  }
}

std::string metrics_markdown() {
  std::string text(kPageStart);
  for (const MetricRow& row : kRows) {
    text += fmt::format("| `{}` | {} | {} | {} |\n", row.name, type_word(row.kind),
                        labels_for_people(row), row.help);
  }
  return text;
}

}  // namespace observe
