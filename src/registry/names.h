// Names and descriptions that people give to things: any text that fits on a line.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace registry {

inline constexpr size_t kNameBytesMax = 100;

// kInvalid, naming the field, unless it has 1 to kNameBytesMax bytes and no control characters.
base::Result<bool> check_name(std::string_view field, std::string_view name);
bool has_control_character(std::string_view text);

}  // namespace registry
