#include "observe/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace observe {
namespace {

std::string written(Metrics& metrics) {
  std::string text;
  metrics.write_prometheus(text);
  return text;
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(MetricTable, NamesFollowTheRulesOfPrometheus) {
  std::set<std::string_view> names;
  for (const MetricRow& row : metric_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.name.starts_with("postrider_")) << row.name;
    EXPECT_TRUE(std::ranges::all_of(row.name, [](char letter) {
      return (letter >= 'a' && letter <= 'z') || letter == '_';
    })) << row.name;
    EXPECT_EQ(row.name.ends_with("_total"), row.kind == MetricKind::kCounter) << row.name;
    EXPECT_EQ(row.label.empty(), row.label_values.empty()) << row.name;
    EXPECT_EQ(row.bounds.empty(), row.kind != MetricKind::kHistogram) << row.name;
    EXPECT_TRUE(std::ranges::is_sorted(row.bounds)) << row.name;
    EXPECT_TRUE(row.help.ends_with('.')) << row.name;
  }
}

TEST(Metrics, EveryMetricIsThereFromTheStart) {
  Metrics metrics;
  const std::string text = written(metrics);
  for (const MetricRow& row : metric_rows()) {
    EXPECT_NE(text.find("# HELP " + std::string(row.name) + " "), std::string::npos);
    EXPECT_NE(text.find("# TYPE " + std::string(row.name) + " "), std::string::npos);
  }
  EXPECT_TRUE(has_line(text, "postrider_events_total{result=\"rejected\"} 0"));
  EXPECT_TRUE(has_line(text, "postrider_attempts_in_flight 0"));
}

bool is_number(const std::string& text) {
  size_t used = 0;
  std::stod(text, &used);
  return used == text.size();
}

// A name, at most one label in braces, a blank, a number.
bool is_sample(const std::string& line) {
  const size_t name_end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_");
  const size_t blank = line.find_last_of(' ');
  const std::string label = line.substr(name_end, blank - name_end);
  const bool is_labelled = label.starts_with('{') && label.find("=\"") != std::string::npos &&
                           label.ends_with("\"}") && std::ranges::count(label, '"') == 2;
  return name_end > 0 && (label.empty() || is_labelled) && is_number(line.substr(blank + 1));
}

// Every line is a comment, or a name with at most one label and a number.
TEST(Metrics, EveryLineIsWellFormed) {
  Metrics metrics;
  metrics.observe(Metric::kCommitSeconds, 0.0042);
  metrics.set(Metric::kOldestWaitingAge, 1e21);
  std::istringstream lines(written(metrics));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_TRUE(line.starts_with("# ") || is_sample(line)) << line;
  }
}

TEST(Metrics, CountersCountByLabel) {
  Metrics metrics;
  metrics.add(Metric::kEvents, EventResult::kAccepted);
  metrics.add(Metric::kEvents, EventResult::kAccepted, 2);
  metrics.add(Metric::kEvents, EventResult::kUnavailable);
  metrics.set_count(Metric::kDeliveriesCreated, 12);
  const std::string text = written(metrics);
  EXPECT_TRUE(has_line(text, "postrider_events_total{result=\"accepted\"} 3"));
  EXPECT_TRUE(has_line(text, "postrider_events_total{result=\"repeated\"} 0"));
  EXPECT_TRUE(has_line(text, "postrider_events_total{result=\"unavailable\"} 1"));
  EXPECT_TRUE(has_line(text, "postrider_deliveries_created_total 12"));
}

TEST(Metrics, AStatusBelongsToItsClass) {
  EXPECT_EQ(status_class(100), StatusClass::k1xx);
  EXPECT_EQ(status_class(299), StatusClass::k2xx);
  EXPECT_EQ(status_class(503), StatusClass::k5xx);
}

TEST(Metrics, HistogramsAreCumulativeAndBoundsAreIncluded) {
  Metrics metrics;
  metrics.observe(Metric::kCommitSeconds, 0.001);   // on a bound
  metrics.observe(Metric::kCommitSeconds, 0.0011);  // above it
  metrics.observe(Metric::kCommitSeconds, 60);      // above all
  const std::string text = written(metrics);
  EXPECT_TRUE(has_line(text, "postrider_commit_seconds_bucket{le=\"0.0005\"} 0"));
  EXPECT_TRUE(has_line(text, "postrider_commit_seconds_bucket{le=\"0.001\"} 1"));
  EXPECT_TRUE(has_line(text, "postrider_commit_seconds_bucket{le=\"0.0025\"} 2"));
  EXPECT_TRUE(has_line(text, "postrider_commit_seconds_bucket{le=\"10\"} 2"));
  EXPECT_TRUE(has_line(text, "postrider_commit_seconds_bucket{le=\"+Inf\"} 3"));
  EXPECT_TRUE(has_line(text, "postrider_commit_seconds_count 3"));
  EXPECT_TRUE(has_line(text, "postrider_commit_seconds_sum 60.0021"));
}

TEST(Metrics, CollectorsAreAskedEachTime) {
  Metrics metrics;
  double age = 1.5;
  metrics.add_collector([&age](Metrics& all) { all.set(Metric::kOldestWaitingAge, age); });
  metrics.add_collector(collect_process);
  EXPECT_TRUE(has_line(written(metrics), "postrider_oldest_waiting_age_seconds 1.5"));
  age = 0;
  const std::string text = written(metrics);
  EXPECT_TRUE(has_line(text, "postrider_oldest_waiting_age_seconds 0"));
  EXPECT_FALSE(has_line(text, "postrider_resident_memory_bytes 0"));
}

std::string contents(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(MetricTable, ThePageIsUpToDate) {
  std::ofstream(POSTRIDER_METRICS_FRESH) << metrics_markdown();
  EXPECT_EQ(contents(POSTRIDER_METRICS_PAGE), metrics_markdown())
      << "docs/metrics.md is stale: copy " << POSTRIDER_METRICS_FRESH << " over it";
}

}  // namespace
}  // namespace observe
