#include "config/toml_file.h"

// As values, like all our failures.
#define TOML_EXCEPTIONS 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <optional>

namespace config {
namespace {

std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* const text = node.as_string()) {
    return text->get();
  }
  if (const auto* const number = node.as_integer()) {
    return fmt::format("{}", number->get());
  }
  if (const auto* const truth = node.as_boolean()) {
    return truth->get() ? "true" : "false";
  }
  return std::nullopt;
}

std::optional<std::string> value_text(const toml::node& node) {
  const toml::array* const list = node.as_array();
  if (list == nullptr) {
    return scalar_text(node);
  }
  std::string text;
  for (const toml::node& element : *list) {
    const std::optional<std::string> part = scalar_text(element);
    if (!part.has_value()) {
      return std::nullopt;
    }
    text += fmt::format("{}{}", text.empty() ? "" : ",", *part);
  }
  return text;
}

// Tables within tables end: toml++ limits how deep they nest.
void walk(const toml::table& table, const std::string& prefix, TomlFile& file) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    const uint32_t line = node.source().begin.line;
    if (const toml::table* const inner = node.as_table()) {
      walk(*inner, name + ".", file);
    } else if (std::optional<std::string> text = value_text(node)) {
      file.entries.push_back({.name = name, .text = std::move(*text), .line = line});
    } else {
      file.problems.push_back(
          {.what = fmt::format("{}: write a text in quotes, a whole number, true, false or a list "
                               "of these",
                               name),
           .line = line});
    }
  }
}

}  // namespace

TomlFile read_toml(std::string_view text) {
  TomlFile file;
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    file.problems.push_back({.what = fmt::format("is not TOML: {}", parsed.error().description()),
                             .line = parsed.error().source().begin.line});
    return file;
  }
  walk(parsed.table(), "", file);
  std::ranges::stable_sort(file.entries, {}, &TomlEntry::line);
  return file;
}

}  // namespace config
