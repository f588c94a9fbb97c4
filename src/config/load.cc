#include "config/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/nearest_name.h"
#include "config/setting_table.h"
#include "config/toml_file.h"

namespace config {
namespace {

constexpr std::string_view kFileName = "postrider.toml";
constexpr std::string_view kVariablePrefix = "POSTRIDER_";
// Of other commands, and of the crash tests.
constexpr std::array<std::string_view, 3> kOtherVariables = {"POSTRIDER_KEY", "POSTRIDER_SERVER",
                                                             "POSTRIDER_KILL_AT"};

struct Assignment {
  const SettingRow* row;
  std::string text;
  Origin origin;
};
using Assignments = std::vector<Assignment>;

// What --dev stands for.
struct Profile {
  std::string_view name;
  std::string_view text;
};
constexpr std::array kDev = {
    Profile{"delivery.allow_addresses", "127.0.0.0/8,::1/128"},
    Profile{"delivery.ports", "any"},
    Profile{"log.format", "text"},
};

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string_view nearest = base::nearest_name(name, names);
  return nearest.empty() ? "`postrider config --help` lists all"
                         : fmt::format("did you mean {}?", nearest);
}

std::vector<std::string> all_names(std::string (*name_of)(const SettingRow&)) {
  std::vector<std::string> names;
  for (const SettingRow& row : setting_rows()) {
    names.push_back(name_of(row));
  }
  return names;
}

std::string plain_name(const SettingRow& row) { return std::string(row.name); }

const SettingRow* row_of_variable(std::string_view variable) {
  const auto found = std::ranges::find_if(
      setting_rows(), [&](const SettingRow& row) { return variable_of(row) == variable; });
  return found == setting_rows().end() ? nullptr : &*found;
}

// The last value that was given to a setting.
std::optional<std::string> last_value(const Assignments& all, std::string_view name) {
  std::optional<std::string> value;
  for (const Assignment& assignment : all) {
    if (assignment.row->name == name) {
      value = assignment.text;
    }
  }
  return value;
}

class Loader {
 public:
  explicit Loader(const Inputs& inputs) : inputs_(inputs) {}

  Loaded load() {
    loaded_.origins.resize(setting_rows().size());
    Assignments told = from_environment();
    std::ranges::move(from_flags(), std::back_inserter(told));
    Assignments all;
    if (last_value(told, "dev") == "true") {
      all = from_dev();
    }
    std::ranges::move(from_file(told), std::back_inserter(all));
    std::ranges::move(told, std::back_inserter(all));
    for (const Assignment& assignment : all) {
      apply(assignment);
    }
    if (loaded_.problems.empty()) {
      loaded_.problems = complete(loaded_.settings);
    }
    return std::move(loaded_);
  }

 private:
  void problem(std::string text) { loaded_.problems.push_back(std::move(text)); }

  Assignments from_flags() {
    Assignments found;
    std::map<std::string_view, int> times;
    for (size_t i = 0; i < inputs_.arguments.size(); ++i) {
      const std::string_view word = inputs_.arguments[i];
      const size_t equals = word.find('=');
      const std::string_view name = word.substr(0, equals);
      if (std::ranges::find(inputs_.switches, word) != inputs_.switches.end()) {
        loaded_.switches.push_back(*std::ranges::find(inputs_.switches, word));
        continue;
      }
      const SettingRow* const row = name.starts_with("--") ? find_row(name.substr(2)) : nullptr;
      if (row == nullptr) {
        unknown_flag(word, name);
        continue;
      }
      if (++times[row->name] == 2) {
        problem(fmt::format("{}: is given more than once; give it once", name));
      }
      std::optional<std::string> text = flag_value(*row, word, i);
      if (text.has_value()) {
        found.push_back({row, std::move(*text), {Source::kFlag, std::string(name)}});
      }
    }
    return found;
  }

  // The value of the flag at `i`, which moves on if the value is a word of its own.
  std::optional<std::string> flag_value(const SettingRow& row, std::string_view word, size_t& i) {
    if (const size_t equals = word.find('='); equals != std::string_view::npos) {
      return std::string(word.substr(equals + 1));
    }
    if (is_switch(row)) {
      return "true";
    }
    if (i + 1 == inputs_.arguments.size() || inputs_.arguments[i + 1].starts_with("--")) {
      problem(fmt::format("{}: its value is missing. Example: {} {}", word, word, row.example));
      return std::nullopt;
    }
    return inputs_.arguments[++i];
  }

  void unknown_flag(std::string_view word, std::string_view name) {
    if (!word.starts_with('-')) {
      return problem(fmt::format("'{}' belongs to no option", word));
    }
    std::vector<std::string> known = all_names(flag_of);
    known.insert(known.end(), inputs_.switches.begin(), inputs_.switches.end());
    problem(fmt::format("{}: is not an option; {}", name, did_you_mean(name, known)));
  }

  Assignments from_environment() {
    Assignments found;
    for (const std::string& entry : inputs_.environment) {
      const std::string_view name = std::string_view(entry).substr(0, entry.find('='));
      if (!name.starts_with(kVariablePrefix) ||
          std::ranges::find(kOtherVariables, name) != kOtherVariables.end()) {
        continue;
      }
      const SettingRow* const row = row_of_variable(name);
      if (row == nullptr) {
        problem(fmt::format("{}: is not a setting; {}", name,
                            did_you_mean(name, all_names(variable_of))));
      } else if (entry.size() > name.size() + 1) {  // an empty one counts as not set
        found.push_back(
            {row, entry.substr(name.size() + 1), {Source::kEnvironment, std::string(name)}});
      }
    }
    return found;
  }

  static Assignments from_dev() {
    Assignments found;
    for (const Profile& profile : kDev) {
      found.push_back({find_row(profile.name), std::string(profile.text), {Source::kDev, "--dev"}});
    }
    return found;
  }

  Assignments from_file(const Assignments& told) {
    const std::optional<std::string> named = last_value(told, "config");
    const std::string directory =
        last_value(told, "data").value_or(loaded_.settings.store.directory);
    const std::string path = named.value_or(fmt::format("{}/{}", directory, kFileName));
    const auto text = inputs_.read_file(path);
    if (!text.has_value()) {
      problem(fmt::format("{}: cannot be read: {}", path, text.error().detail));
      return {};
    }
    if (!text->has_value()) {
      if (named.has_value()) {
        problem(fmt::format("{}: there is no such file; it was named by --config", path));
      }
      return {};
    }
    loaded_.file = path;
    return from_toml(read_toml(**text), !named.has_value());
  }

  Assignments from_toml(const TomlFile& file, bool is_in_data_directory) {
    Assignments found;
    const auto place = [&](uint32_t line) { return fmt::format("{}:{}", loaded_.file, line); };
    for (const TomlProblem& wrong : file.problems) {
      problem(fmt::format("{}: {}", place(wrong.line), wrong.what));
    }
    for (const TomlEntry& entry : file.entries) {
      const SettingRow* const row = find_row(entry.name);
      if (row == nullptr) {
        problem(fmt::format("{}: {}: is not a setting; {}", place(entry.line), entry.name,
                            did_you_mean(entry.name, all_names(plain_name))));
      } else if (!row->is_in_file || (row->name == "data" && is_in_data_directory)) {
        problem(fmt::format("{}: {}: cannot be set in this file; use {} or {}", place(entry.line),
                            entry.name, flag_of(*row), variable_of(*row)));
      } else {
        found.push_back({row, entry.text, {Source::kFile, place(entry.line)}});
      }
    }
    return found;
  }

  void apply(const Assignment& assignment) {
    const SettingRow& row = *assignment.row;
    const base::Result<void> done = set_value(row, assignment.text, loaded_.settings);
    if (!done.has_value()) {
      const bool is_file = assignment.origin.source == Source::kFile;
      problem(fmt::format("{}{}: {} {}. Example: {}", assignment.origin.place,
                          is_file ? fmt::format(": {}", row.name) : "",
                          row.is_secret ? "the value" : fmt::format("'{}'", assignment.text),
                          done.error().detail, row.example));
      return;
    }
    loaded_.origins[static_cast<size_t>(&row - setting_rows().data())] = assignment.origin;
  }

  const Inputs& inputs_;
  Loaded loaded_;
};

}  // namespace

bool Loaded::has_switch(std::string_view name) const {
  return std::ranges::find(switches, name) != switches.end();
}

Loaded load(const Inputs& inputs) { return Loader(inputs).load(); }

Reloaded reload(const Settings& present, const Loaded& fresh) {
  Reloaded result{.settings = present};
  for (const SettingRow& row : setting_rows()) {
    if (value_text(row, present) == value_text(row, fresh.settings)) {
      continue;
    }
    if (row.reloads) {
      copy_value(row, fresh.settings, result.settings);
    }
    (row.reloads ? result.changed : result.needs_restart).emplace_back(row.name);
  }
  return result;
}

}  // namespace config
