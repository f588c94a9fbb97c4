// Percent-decoding, strictly: what is not two hexadecimal digits is no escape, and the result is
// text, so it holds no control characters and is valid UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace http {

enum class Plus : uint8_t {
  kIsPlus,   // in a path
  kIsBlank,  // in a query, where every client library encodes a blank so
};

// Nothing if it cannot be decoded.
std::optional<std::string> percent_decode(std::string_view text, Plus plus);

}  // namespace http
