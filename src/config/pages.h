// What is derived from the table for people: the text of --help, the effective configuration as a
// table and as JSON, and docs/configuration.md.
#pragma once

#include <string>

#include "config/load.h"

namespace config {

std::string help_text();
std::string effective_table(const Loaded& loaded);
std::string effective_json(const Loaded& loaded);
std::string markdown_page();

}  // namespace config
