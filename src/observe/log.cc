#include "observe/log.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>

#include "text/json_writer.h"
#include "text/time_text.h"

namespace observe {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames = {"error", "warn", "info", "debug"};
constexpr std::string_view kCut = "…";

struct State {
  std::atomic<Level> level = Level::kInfo;
  std::atomic<LogFormat> format = LogFormat::kText;
  std::array<std::atomic<uint64_t>, kLevelNames.size()> lines{};
  std::atomic<uint64_t> dropped = 0;
  std::mutex writing;
  uint64_t dropped_and_told = 0;  // under `writing`
};

// Never destroyed: threads may log until the process ends.
State& state() {
  static State* const kState = new State;
  return *kState;
}

base::Instant wall_clock() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return base::Instant::from_ms(
      std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count());
}

// A UTF-8 character is not cut in two.
std::string shortened(std::string_view text) {
  if (text.size() <= kValueBytesMax) {
    return std::string(text);
  }
  size_t end = kValueBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return std::string(text.substr(0, end)).append(kCut);
}

bool is_plain(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char letter) {
    return letter > ' ' && letter < '\x7F' && letter != '"' && letter != '=' && letter != '\\';
  });
}

struct ValueText {
  LogFormat format;

  std::string operator()(std::string_view value) const {
    if (format == LogFormat::kText && is_plain(value) && value.size() <= kValueBytesMax) {
      return std::string(value);
    }
    std::string text;
    text::append_json_string(text, shortened(value));
    return text;
  }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(uint64_t value) const { return fmt::format("{}", value); }
};

std::string line_start(LogFormat format, const LogLine& line) {
  const std::string message = ValueText{LogFormat::kJson}(line.message);
  if (format == LogFormat::kJson) {
    return fmt::format(R"({{"time":"{}","level":"{}","message":{})", text::time_text(line.time),
                       name_of(line.level), message);
  }
  // The quotes are needed by machines only; what they kept inside stays escaped.
  return fmt::format("{} {:<5} {}", text::time_text(line.time), name_of(line.level),
                     std::string_view(message).substr(1, message.size() - 2));
}

std::string field_text(LogFormat format, std::string_view name, std::string_view value) {
  return format == LogFormat::kJson ? fmt::format(R"(,"{}":{})", name, value)
                                    : fmt::format(" {}={}", name, value);
}

// A line is written if it can be without waiting. A pipe that is writable takes 4096 bytes.
bool write_at_once(std::string_view line) {
  pollfd wanted{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
  if (poll(&wanted, 1, 0) != 1 || (wanted.revents & POLLOUT) == 0) {
    return false;
  }
  while (true) {
    const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
    if (written >= 0 || errno != EINTR) {
      return written == static_cast<ssize_t>(line.size());
    }
  }
}

bool tell_of_dropped(LogFormat format, uint64_t missing) {
  return write_at_once(log_text(format,
                                {.time = wall_clock(),
                                 .level = Level::kWarn,
                                 .message = "log lines were dropped because nobody took them"},
                                {{"lines", missing}}));
}

}  // namespace

std::string_view name_of(Level level) { return kLevelNames[static_cast<size_t>(level)]; }

std::string_view name_of(LogFormat format) { return format == LogFormat::kText ? "text" : "json"; }

std::string log_text(LogFormat format, const LogLine& line, LogFields fields) {
  const std::string cut = field_text(format, "cut", "true");
  const std::string_view end = format == LogFormat::kJson ? "}\n" : "\n";
  std::string text = line_start(format, line);
  for (const LogField& field : fields) {
    const std::string next =
        field_text(format, field.name, std::visit(ValueText{format}, field.value));
    if (text.size() + next.size() + cut.size() + end.size() > kLineBytesMax) {
      text += cut;
      break;
    }
    text += next;
  }
  return text.append(end);
}

bool is_logged(Level level) { return level <= state().level.load(std::memory_order_relaxed); }

void set_log_level(Level level) { state().level.store(level, std::memory_order_relaxed); }

void set_log_format(LogFormat format) { state().format.store(format, std::memory_order_relaxed); }

uint64_t log_lines(Level level) {
  return state().lines[static_cast<size_t>(level)].load(std::memory_order_relaxed);
}

uint64_t dropped_log_lines() { return state().dropped.load(std::memory_order_relaxed); }

void log(Level level, std::string_view message, LogFields fields) {
  if (!is_logged(level)) {
    return;
  }
  State& state = observe::state();
  const LogFormat format = state.format.load(std::memory_order_relaxed);
  const std::string line =
      log_text(format, {.time = wall_clock(), .level = level, .message = message}, fields);

  const std::lock_guard lock(state.writing);
  const uint64_t dropped = state.dropped.load(std::memory_order_relaxed);
  if (dropped > state.dropped_and_told &&
      tell_of_dropped(format, dropped - state.dropped_and_told)) {
    state.dropped_and_told = dropped;
  }
  std::atomic<uint64_t>& count =
      write_at_once(line) ? state.lines[static_cast<size_t>(level)] : state.dropped;
  count.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace observe
