// What a data directory looks like from outside: the database, the commit mark beside it, and
// whether a process has it open.
#pragma once

#include <string>

#include "base/result.h"

namespace store {

std::string database_path(const std::string& directory);
std::string mark_path(const std::string& directory);

// kNotFound if there is no database in it, kUnavailable (with the process) if somebody has it open.
base::Result<bool> check_unused(const std::string& directory);

}  // namespace store
