// The process that the crash drills kill: a store and nothing else. See tests/crash/rig.py for who
// starts it, workload.h and inspection.h for what it says.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/engine.h"
#include "store/fail_points.h"
#include "store/rocks_store.h"
#include "tests/crash/inspection.h"
#include "tests/crash/loop.h"
#include "tests/crash/report.h"
#include "tests/crash/tamper.h"
#include "tests/crash/workload.h"

namespace crash {
namespace {

constexpr int kUsageStatus = 64;
constexpr int kRefusedStatus = 2;

constexpr const char* kUsage =
    "usage: store_driver run|inspect|drain <directory> [option=value...]\n"
    "       store_driver tamper <directory> <how>\n"
    "       store_driver points\n"
    "options: seed first again producers acks newest reserve buffer sync=0|1\n"
    "         honesty=after|before|despite\n";

struct Settings {
  store::EngineOptions engine;
  WorkloadOptions workload;
  InspectionOptions inspection;
};

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

std::optional<Honesty> parse_honesty(std::string_view text) {
  if (text == "after") {
    return Honesty::kAfterCommit;
  }
  if (text == "before") {
    return Honesty::kBeforeCommit;
  }
  return text == "despite" ? std::optional(Honesty::kDespiteFailure) : std::nullopt;
}

bool set_number(Settings& settings, std::string_view name, uint64_t value) {
  const std::map<std::string_view, std::function<void()>> setters = {
      {"seed", [&] { settings.workload.seed = value; }},
      {"first", [&] { settings.workload.first = value; }},
      {"again", [&] { settings.workload.again = value; }},
      {"producers", [&] { settings.workload.producers = static_cast<uint32_t>(value); }},
      {"acks", [&] { settings.workload.acks = value; }},
      {"newest", [&] { settings.inspection.newest = value; }},
      {"reserve", [&] { settings.engine.reserve_bytes = value; }},
      {"buffer", [&] { settings.engine.write_buffer_bytes = value; }},
      {"sync", [&] { settings.engine.sync = value != 0; }},
  };
  const auto setter = setters.find(name);
  if (setter == setters.end()) {
    return false;
  }
  setter->second();
  return true;
}

bool set_option(Settings& settings, std::string_view argument) {
  const size_t equals = argument.find('=');
  if (equals == std::string_view::npos) {
    return false;
  }
  const std::string_view name = argument.substr(0, equals);
  const std::string_view value = argument.substr(equals + 1);
  if (name == "honesty") {
    const std::optional<Honesty> honesty = parse_honesty(value);
    settings.workload.honesty = honesty.value_or(Honesty::kAfterCommit);
    return honesty.has_value();
  }
  const std::optional<uint64_t> number = parse_number(value);
  return number && set_number(settings, name, *number);
}

std::optional<Settings> parse(const std::vector<std::string_view>& arguments) {
  Settings settings;
  settings.engine.directory = arguments[1];
  settings.engine.reserve_bytes = 1ULL << 20U;
  settings.engine.block_cache_bytes = 8ULL << 20U;
  for (size_t i = 2; i < arguments.size(); ++i) {
    if (!set_option(settings, arguments[i])) {
      return std::nullopt;
    }
  }
  return settings;
}

int run(std::string_view mode, Settings settings) {
  auto engine = store::Engine::open(settings.engine);
  if (!engine) {
    say("refused {}", engine.error().detail);
    return kRefusedStatus;
  }
  Loop loop((*engine)->last_committed());
  store::RocksStore store(**engine, loop);
  say("opened");
  if (mode == "run") {
    Workload workload(settings.workload, **engine, store, loop);
    workload.start();
    loop.run();
    engine->reset();
    say("closed");
  } else {
    settings.inspection.drain = mode == "drain";
    Inspection inspection(settings.inspection, **engine, store, loop);
    inspection.start();
    loop.run();
    engine->reset();
  }
  return 0;
}

int say_points() {
  for (const std::string_view point : store::kFailPoints) {
    say("point {}", point);
  }
  return 0;
}

int start(const std::vector<std::string_view>& arguments) {
  const std::string_view mode = arguments.empty() ? "" : arguments[0];
  if (mode == "points") {
    return say_points();
  }
  if (mode == "tamper" && arguments.size() == 3) {
    return tamper(std::string(arguments[1]), arguments[2]) ? 0 : kRefusedStatus;
  }
  const bool is_known = mode == "run" || mode == "inspect" || mode == "drain";
  if (is_known && arguments.size() >= 2) {
    if (const std::optional<Settings> settings = parse(arguments)) {
      return run(mode, *settings);
    }
  }
  std::fputs(kUsage, stderr);
  return kUsageStatus;
}

}  // namespace
}  // namespace crash

int main(int count, char** arguments) { return crash::start({arguments + 1, arguments + count}); }
