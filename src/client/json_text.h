// JSON for the screen: the same text, only its blanks changed, so that every number and string is
// shown exactly as it came.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace client {

enum class JsonLayout : uint8_t {
  kOneLine,
  kIndented,  // two blanks a level; empty lists and objects stay together
};

// `json` is JSON: whoever does not know asks match::JsonParser first.
std::string laid_out(std::string_view json, JsonLayout layout, size_t indent = 0);

}  // namespace client
