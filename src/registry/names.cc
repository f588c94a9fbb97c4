#include "registry/names.h"

#include <fmt/format.h>

#include <algorithm>

namespace registry {

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; });
}

base::Result<bool> check_name(std::string_view field, std::string_view name) {
  if (name.empty() || name.size() > kNameBytesMax) {
    return base::fail(base::ErrorCode::kInvalid,
                      fmt::format("{}: give it 1 to {} bytes of text", field, kNameBytesMax));
  }
  if (has_control_character(name)) {
    return base::fail(base::ErrorCode::kInvalid,
                      fmt::format("{}: remove line breaks and other control characters", field));
  }
  return true;
}

}  // namespace registry
