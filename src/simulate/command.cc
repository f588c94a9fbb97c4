#include "simulate/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "simulate/arguments.h"
#include "simulate/report.h"
#include "simulate/run.h"

namespace simulate {
namespace {

constexpr int kExitDone = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

// Shorter runs are over before anybody could read a bar.
constexpr uint64_t kLongRun = 500'000;

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void draw_progress(int percent) {
  constexpr int kCells = 40;
  const int full = percent * kCells / 100;
  std::string bar;
  for (int cell = 0; cell < kCells; ++cell) {
    bar += cell < full ? "█" : "░";
  }
  fmt::print(stderr, "\rsimulating {} {:3}%", bar, percent);
}

void clear_progress() { fmt::print(stderr, "\r{:60}\r", ""); }

bool is_long(const Scenario& scenario) {
  return event_count(scenario) * scenario.endpoints >= kLongRun;
}

// https://no-color.org: any value but the empty one counts.
bool wants_colours() {
  const char* const no_color = secure_getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
}

Result run_with_progress(const Request& request) {
  const bool shows_progress = is_long(request.scenario) && isatty(STDERR_FILENO) == 1;
  RunHooks hooks{.keep_starts = request.trace, .progress = {}, .receiver = {}};
  if (shows_progress) {
    hooks.progress = draw_progress;
  }
  Result result = run(request.scenario, hooks);
  if (shows_progress) {
    clear_progress();
  }
  return result;
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file.good();
}

int simulate_and_report(Request& request) {
  // Before the run, which may take a minute: a picture that cannot be written is known at once.
  if (!request.svg.empty() && !write_file(request.svg, "")) {
    fmt::print(stderr, "postrider simulate: --svg: cannot write to '{}'.\n", request.svg);
    return kExitFailed;
  }
  const Result result = run_with_progress(request);
  if (!request.svg.empty() && !write_file(request.svg, result_svg(request.scenario, result))) {
    fmt::print(stderr, "postrider simulate: --svg: cannot write to '{}'.\n", request.svg);
    return kExitFailed;
  }
  print(request.json ? result_json(request, result)
                     : result_table(request.scenario, result,
                                    wants_colours() ? Colours::kOn : Colours::kOff));
  return kExitDone;
}

}  // namespace

int command(std::span<char* const> arguments) {
  auto request = parse_arguments(arguments);
  if (!request) {
    fmt::print(stderr, "postrider simulate: {}\n", request.error().detail);
    return kExitUsage;
  }
  if (request->help || request->help_markdown) {
    print(request->help ? help_text() : help_markdown());
    return kExitDone;
  }
  if (request->schedule) {
    print(request->json ? schedule_json(request->scenario) : schedule_table(request->scenario));
    return kExitDone;
  }
  return simulate_and_report(*request);
}

}  // namespace simulate
