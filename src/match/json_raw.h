// The text of a value, as its writer spelt it: what was published is what is sent, byte for byte.
#pragma once

#include <optional>
#include <string_view>

namespace match {

// The value of this member of the object `text`, which JsonParser has accepted. Nothing if there is
// none, or if its key is spelt with escapes.
std::optional<std::string_view> raw_member(std::string_view text, std::string_view key);

}  // namespace match
