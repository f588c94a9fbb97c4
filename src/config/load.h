// From flags, environment and file to Settings: flags win over the environment, which wins over the
// file, which wins over --dev, which wins over the defaults.
//
// Whatever is wrong is reported, all of it at once, each with where it was said. Nothing is guessed
// and nothing unknown is passed over: a mistyped name would otherwise leave a default in force that
// its writer believes to have changed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/settings.h"

namespace config {

enum class Source : uint8_t { kDefault, kDev, kFile, kEnvironment, kFlag };

// Where a value came from.
struct Origin {
  Source source = Source::kDefault;
  std::string place;  // "--listen", "POSTRIDER_LISTEN", "postrider.toml:3"; empty for a default
};

// All that a configuration is made of; kept by the server, so that it can load again.
struct Inputs {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;    // "NAME=value"
  std::vector<std::string_view> switches;  // other words that the command knows: "--json"
  // The text of a file; nothing if there is none of this name.
  std::function<base::Result<std::optional<std::string>>(const std::string& path)> read_file;
};

struct Loaded {
  Settings settings;
  std::vector<Origin> origins;             // of each setting, in the order of setting_rows()
  std::string file;                        // the file that was read; empty if none was
  std::vector<std::string_view> switches;  // those that were given
  // Sentences without a full stop. If there are any, the settings are not to be used.
  std::vector<std::string> problems;

  bool has_switch(std::string_view name) const;
};

// Of this process. The arguments are those after the command's name.
Inputs process_inputs(std::span<char* const> arguments, std::vector<std::string_view> switches);

Loaded load(const Inputs& inputs);

struct Reloaded {
  Settings settings;                       // the present ones, with what can change while running
  std::vector<std::string> changed;        // names
  std::vector<std::string> needs_restart;  // names that differ, but keep their value until then
};

// `fresh` has no problems.
Reloaded reload(const Settings& present, const Loaded& fresh);

}  // namespace config
