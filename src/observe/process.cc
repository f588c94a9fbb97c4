// What the process knows of itself.

#include <unistd.h>

#include <fstream>

#include "observe/log.h"
#include "observe/metrics.h"

namespace observe {
namespace {

// The second number of the file, in pages; 0 if the system does not tell.
double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  uint64_t total = 0;
  uint64_t resident = 0;
  if (!(file >> total >> resident)) {
    return 0;
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void collect_process(Metrics& metrics) {
  metrics.set(Metric::kResidentMemory, resident_bytes());
  for (const Level level : {Level::kError, Level::kWarn, Level::kInfo, Level::kDebug}) {
    metrics.set_count(Metric::kLogLines, level, log_lines(level));
  }
  metrics.set_count(Metric::kLogLinesDropped, dropped_log_lines());
}

}  // namespace observe
