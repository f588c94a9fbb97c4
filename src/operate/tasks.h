// What the operators' commands do, with the answer in words and as JSON.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace operate {

struct Answer {
  bool is_sound = false;
  std::string text;
  std::string json;
};

// The operands are those of the rows in command_line.h. An error: it could not be done.
base::Result<Answer> audit_directory(const std::vector<std::string>& operands);
base::Result<Answer> make_backup(const std::vector<std::string>& operands);
base::Result<Answer> restore_backup(const std::vector<std::string>& operands);

}  // namespace operate
