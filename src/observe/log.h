// The log of the process: one line per event of its life, on the standard error, as text or JSON.
//
// A line has a time, a level, a message that is always the same text for the same thing, and fields
// with what is particular. Control characters are escaped, so that nobody outside can begin a line
// of his own. Secrets and bodies have no business here.
//
// Nobody waits for the log: a line that the reader of the other end has no room for is dropped and
// counted, and the next line that gets through says how many are missing. Lines are at most
// kLineBytesMax long, which is what a pipe takes in one piece. May be called from any thread.
//
//   observe::log(Level::kInfo, "the server is listening", {{"address", "127.0.0.1:8080"}});
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "base/time.h"

namespace observe {

enum class Level : uint8_t { kError, kWarn, kInfo, kDebug };
enum class LogFormat : uint8_t { kText, kJson };

std::string_view name_of(Level level);       // "error", "warn", "info", "debug"
std::string_view name_of(LogFormat format);  // "text", "json"

struct LogField {
  std::string_view name;  // a_constant_name, other than time, level, message, cut
  std::variant<std::string_view, int64_t, uint64_t, bool> value;

  LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
  LogField(std::string_view field, const char* text) : name(field), value(std::string_view(text)) {}
  LogField(std::string_view field, const std::string& text)
      : name(field), value(std::string_view(text)) {}
  template <std::integral Number>
  LogField(std::string_view field, Number number) : name(field) {
    if constexpr (std::same_as<Number, bool>) {
      value = number;
    } else if constexpr (std::signed_integral<Number>) {
      value = static_cast<int64_t>(number);
    } else {
      value = static_cast<uint64_t>(number);
    }
  }
};
using LogFields = std::initializer_list<LogField>;

inline constexpr size_t kLineBytesMax = 4096;   // with its line feed
inline constexpr size_t kValueBytesMax = 1024;  // longer texts are cut

void log(Level level, std::string_view message, LogFields fields = {});

// Lines below the level cost nothing but this question. Until it is set: kInfo, as text.
bool is_logged(Level level);
void set_log_level(Level level);
void set_log_format(LogFormat format);

// Since the start, by level; dropped ones are not among them.
uint64_t log_lines(Level level);
uint64_t dropped_log_lines();

// What log() writes, with its line feed. Fields that do not fit are left out, and a last field
// `cut` says so.
struct LogLine {
  base::Instant time;
  Level level;
  std::string_view message;
};
std::string log_text(LogFormat format, const LogLine& line, LogFields fields);

}  // namespace observe
