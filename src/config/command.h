// `postrider config`: the configuration that would be in force, with the source of every value.
#pragma once

#include <span>
#include <string>

#include "config/load.h"

namespace config {

// Exit code: 0, or 2 if the configuration has problems. They go to the standard error.
int command(std::span<char* const> arguments);

// Every setting as part of a command's --help.
std::string settings_help();
// The problems as a command prints them: one on a line.
std::string problems_text(std::string_view command, const Loaded& loaded);

}  // namespace config
