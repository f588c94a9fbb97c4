// What a benchmark of the whole server is asked to do, and what it reports: figures, each beside
// its limit, as a table for people or one line of JSON.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// `--json` and `--directory PATH`, the same for all of them.
struct BenchOptions {
  bool wants_json = false;
  std::string directory;  // there, empty, and on a disk
};

// `name` as in `script/bench <name>`. Without --directory it is one in build/. Ends the program,
// with the reason, on other words and if the directory is not on a disk.
BenchOptions parse_options(std::string_view name, int argc, char** argv);

enum class Better : uint8_t { kMore, kLess };

struct Goal {
  std::string_view key;  // in JSON
  std::string_view words;
  double measured = 0;
  double limit = 0;
  Better better = Better::kLess;
  bool is_met() const { return better == Better::kMore ? measured >= limit : measured <= limit; }
};

// A figure that a goal rests on.
struct Figure {
  std::string_view key;
  std::string_view words;
  double value = 0;
};

struct Report {
  std::string_view bench;
  std::vector<Figure> figures;
  std::vector<Goal> goals;
};

void print_report(const Report& report, const BenchOptions& options);

}  // namespace bench
