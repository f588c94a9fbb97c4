#include "api/json_layout.h"

#include <fmt/core.h>

#include <string_view>

#include "text/json_writer.h"

namespace api {
namespace {

using match::JsonKind;
using match::JsonValue;

constexpr size_t kLineCharacters = 76;
constexpr size_t kIndent = 2;

std::string quoted(std::string_view text) {
  std::string out;
  text::append_json_string(out, text);
  return out;
}

std::string scalar_text(JsonValue value) {
  switch (value.kind()) {
    case JsonKind::kBool:
      return value.as_bool() ? "true" : "false";
    case JsonKind::kInteger:
      return fmt::format("{}", value.as_integer());
    case JsonKind::kUnsigned:
      return fmt::format("{}", value.as_unsigned());
    case JsonKind::kDouble:
      return fmt::format("{}", value.as_double());
    case JsonKind::kString:
      return quoted(value.as_string());
    default:
      return "null";
  }
}

// What stands between the parts of a list or an object.
struct Gaps {
  std::string begin;
  std::string between;
  std::string end;
};

// Recursion ends where the parser's limit on nesting does.
class Layout {
 public:
  explicit Layout(bool is_indented) : is_indented_(is_indented) {}

  std::string of(JsonValue value, size_t indent) const {
    const bool is_list = value.kind() == JsonKind::kArray;
    if (!is_list && value.kind() != JsonKind::kObject) {
      return scalar_text(value);
    }
    std::string flat = joined(value, indent, {.begin = "", .between = ", ", .end = ""}, false);
    if (!is_indented_ || indent + flat.size() <= kLineCharacters) {
      return flat;
    }
    const std::string line(indent + kIndent, ' ');
    return joined(
        value, indent + kIndent,
        {.begin = "\n" + line, .between = ",\n" + line, .end = "\n" + std::string(indent, ' ')},
        true);
  }

 private:
  static std::string joined(JsonValue value, size_t indent, const Gaps& gaps, bool is_indented) {
    const Layout inner(is_indented);
    std::string parts;
    const auto add = [&](const std::string& part) {
      parts += (parts.empty() ? gaps.begin : gaps.between) + part;
    };
    for (const JsonValue element : value.elements()) {
      add(inner.of(element, indent));
    }
    for (const match::JsonMember member : value.members()) {
      add(quoted(member.key) + ": " + inner.of(member.value, indent));
    }
    const bool is_list = value.kind() == JsonKind::kArray;
    return fmt::format("{}{}{}{}", is_list ? "[" : "{", parts, parts.empty() ? "" : gaps.end,
                       is_list ? "]" : "}");
  }

  bool is_indented_;
};

}  // namespace

std::string compact_json(JsonValue value) { return Layout(false).of(value, 0); }

std::string indented_json(JsonValue value) { return Layout(true).of(value, 0); }

}  // namespace api
