#include "operate/report.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace operate {
namespace {

using store::AuditCounts;
using store::AuditReport;

struct CountRow {
  std::string_view name;
  uint64_t AuditCounts::* field;
};
constexpr std::array kCounts = {
    CountRow{"events", &AuditCounts::events},
    CountRow{"deliveries", &AuditCounts::deliveries},
    CountRow{"delivered", &AuditCounts::delivered},
    CountRow{"dropped", &AuditCounts::dropped},
    CountRow{"cancelled", &AuditCounts::cancelled},
    CountRow{"unfinished", &AuditCounts::unfinished},
};

std::string counts_json(const AuditCounts& counts) {
  std::string text;
  for (const CountRow& row : kCounts) {
    text += fmt::format("{}\"{}\":{}", text.empty() ? "" : ",", row.name, counts.*row.field);
  }
  return "{" + text + "}";
}

std::string verdict(const AuditReport& report) {
  const uint64_t problems = report.problems.size() + report.problems_more;
  if (problems == 0) {
    return "Sound: everything that the store says of itself is there.\n";
  }
  return fmt::format("NOT SOUND: {} {}.\n", problems, problems == 1 ? "problem" : "problems");
}

}  // namespace

std::string audit_text(const AuditReport& report) {
  std::string text = verdict(report);
  for (const std::string& problem : report.problems) {
    text += fmt::format("  - {}\n", problem);
  }
  if (report.problems_more > 0) {
    text += fmt::format("  - and {} more\n", report.problems_more);
  }
  text += fmt::format("\n{:<12} {:>12} {:>12}\n", "", "counted", "stated");
  for (const CountRow& row : kCounts) {
    text += fmt::format("{:<12} {:>12} {:>12}\n", row.name, report.counted.*row.field,
                        report.stated.*row.field);
  }
  text += fmt::format("{:<12} {:>12} {:>12}\n", "expired", "", report.expired);
  return text + fmt::format("\nUp to commit {}; {} records read.\n", report.commit, report.records);
}

std::string audit_json(const AuditReport& report) {
  std::string problems;
  for (const std::string& problem : report.problems) {
    problems += (problems.empty() ? "" : ",") + json_string(problem);
  }
  return fmt::format(
      "\"sound\":{},\"commit\":{},\"records\":{},\"counted\":{},\"stated\":{},\"expired\":{},"
      "\"problems\":[{}],\"problems_more\":{}",
      report.ok(), report.commit, report.records, counts_json(report.counted),
      counts_json(report.stated), report.expired, problems, report.problems_more);
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      quoted += '\\';
      quoted += character;
    } else if (byte < 0x20) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += character;
    }
  }
  return quoted + '"';
}

}  // namespace operate
