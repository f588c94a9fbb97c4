// Every number that the process shows to a monitoring system, declared once: a metric is one row of
// metrics.cc, and its text at /metrics and in docs/metrics.md come from the row.
//
// Labels are closed sets, so that nothing a producer or a receiver does can make the list longer.
// Counting is one relaxed addition, from any thread. What is known elsewhere (totals of the store,
// connections) is not counted again: a collector sets it when somebody looks.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/check.h"

namespace observe {

// In the order of the rows.
enum class Metric : uint8_t {
  kEvents,
  kDeliveriesCreated,
  kDeliveries,
  kStoredEvents,
  kAttempts,
  kAttemptOutcomes,
  kAttemptsInFlight,
  kDueLateness,
  kOldestWaitingAge,
  kEndpoints,
  kPublishSeconds,
  kCommitSeconds,
  kSyncSeconds,
  kStoreAvailable,
  kHttpRequests,
  kHttpConnections,
  kHttpRefusedConnections,
  kStreams,
  kStreamLeftOut,
  kOutboundConnections,
  kLogLines,
  kLogLinesDropped,
  kBuild,
  kStartTime,
  kResidentMemory,
};
inline constexpr size_t kMetricCount = 25;

// The labels' values, in the order of their rows.
enum class EventResult : uint8_t { kAccepted, kRepeated, kRejected, kUnavailable };
enum class DeliveryState : uint8_t {
  kDelivered,
  kDropped,
  kCancelled,
  kExpired,
  kWaiting,
  kHeld,
  kInFlight
};
enum class AttemptResult : uint8_t { kSuccess, kFailure };
enum class EndpointState : uint8_t { kActive, kDisabled, kFrozen, kPaused };
enum class StatusClass : uint8_t { k1xx, k2xx, k3xx, k4xx, k5xx };
// Metric::kAttemptOutcomes takes model::OutcomeKind, and Metric::kLogLines observe::Level.

// Of a status between 100 and 599.
constexpr StatusClass status_class(unsigned status) {
  return static_cast<StatusClass>(status / 100 - 1);
}

enum class MetricKind : uint8_t {
  kCounter,
  kGauge,
  kHistogram,
  kFact,  // a gauge that is always 1; what it says is in its label
};

struct MetricRow {
  Metric metric;
  std::string_view name;
  MetricKind kind;
  std::string_view help;                                // one sentence
  std::string_view label = "";                          // its name; none: one number
  std::span<const std::string_view> label_values = {};  // a closed set
  std::span<const double> bounds = {};  // of a histogram, in seconds; the last bucket has none
};

std::span<const MetricRow> metric_rows();

class Metrics {
 public:
  Metrics();

  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // Counters.
  void add(Metric metric, uint64_t by = 1) { add_cell(cell(metric, 0), by); }
  template <class Label>
    requires std::is_enum_v<Label>
  void add(Metric metric, Label label, uint64_t by = 1) {
    add_cell(cell(metric, static_cast<size_t>(label)), by);
  }

  // Counters that are kept elsewhere: what they stand at.
  void set_count(Metric metric, uint64_t count) { store_cell(cell(metric, 0), count); }
  template <class Label>
    requires std::is_enum_v<Label>
  void set_count(Metric metric, Label label, uint64_t count) {
    store_cell(cell(metric, static_cast<size_t>(label)), count);
  }

  // Gauges.
  void set(Metric metric, double value) {
    store_cell(cell(metric, 0), std::bit_cast<uint64_t>(value));
  }
  template <class Label>
    requires std::is_enum_v<Label>
  void set(Metric metric, Label label, double value) {
    store_cell(cell(metric, static_cast<size_t>(label)), std::bit_cast<uint64_t>(value));
  }

  // Histograms. Not negative.
  void observe(Metric metric, double seconds);

  // Runs before each write_prometheus(), on its thread. To be added before anybody writes.
  void add_collector(std::function<void(Metrics&)> collector);

  // Prometheus text format 0.0.4. By one thread at a time.
  void write_prometheus(std::string& out);

  static constexpr std::string_view kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  static constexpr size_t kCellsMax = 192;

  // A line of the page, made up but for its number: events wait while the page is written.
  enum class Shows : uint8_t { kCount, kNumber, kBucket, kSeconds, kAllBuckets };
  struct Line {
    std::string before;  // the number; in the first line of a metric with the comments above it
    Shows shows;
    size_t cell;
  };

  size_t cell(Metric metric, size_t label) const {
    const size_t at = static_cast<size_t>(metric);
    CHECK_LT(label, first_[at + 1] - first_[at]);
    return first_[at] + label;
  }
  void add_cell(size_t at, uint64_t by) { cells_[at].fetch_add(by, std::memory_order_relaxed); }
  void store_cell(size_t at, uint64_t bits) { cells_[at].store(bits, std::memory_order_relaxed); }
  uint64_t load_cell(size_t at) const { return cells_[at].load(std::memory_order_relaxed); }

  void add_lines(const MetricRow& row);

  // A metric's cells: one per label value; of a histogram one per bucket, and the sum in
  // nanoseconds.
  std::array<size_t, kMetricCount + 1> first_{};
  std::array<std::atomic<uint64_t>, kCellsMax> cells_{};
  std::vector<std::function<void(Metrics&)>> collectors_;
  std::vector<Line> lines_;
};

// What is known of the process itself: version, memory, log lines. A collector.
void collect_process(Metrics& metrics);

// The page docs/metrics.md.
std::string metrics_markdown();

}  // namespace observe
