// SHA-256 of texts: for what is found again by its hash (endpoints) or compared by it (API keys).
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace secrets {

using Sha256 = std::array<uint8_t, 32>;

// Of the parts in a row, without anything between them.
Sha256 sha256(std::initializer_list<std::string_view> parts);

}  // namespace secrets
