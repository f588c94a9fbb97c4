// A TOML file as a list of dotted names with their values as text: what a value means is the
// setting's affair, not the file's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace config {

struct TomlEntry {
  std::string name;  // "retry.unit"
  std::string text;  // a list with commas between its values
  uint32_t line = 0;
};

struct TomlProblem {
  std::string what;  // a sentence without a full stop
  uint32_t line = 0;
};

struct TomlFile {
  std::vector<TomlEntry> entries;  // in the order of lines
  std::vector<TomlProblem> problems;
};

TomlFile read_toml(std::string_view text);

}  // namespace config
