// The text of a value, as its writer spelt it: what was published is what is sent, byte for byte.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace match {

// The value of this member of the object `text`. Nothing if there is none, or if its key is spelt
// with escapes; `key` is a word that needs none. `places` tell where something begins in `text`,
// which is known to be valid: each bracket, colon and comma, and the first byte of each string,
// number and word.
std::optional<std::string_view> raw_member(std::string_view text, std::span<const uint32_t> places,
                                           std::string_view key);

}  // namespace match
