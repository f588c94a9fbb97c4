// Which headers a user may add to deliveries. A header that cannot be told apart from the framing
// of the request, or from what the server itself vouches for, is refused when it is registered.
//
// Names are RFC 9110 tokens. Values are visible ASCII with spaces and tabs inside: no CR, LF or NUL
// can be smuggled onto the wire. Errors never quote a value: values are secrets.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "net/header.h"

namespace net {

inline constexpr size_t kCustomHeadersMax = 20;
inline constexpr size_t kCustomHeaderSizeMax = 4096;  // name and value together

// RFC 9110 grammar alone, for headers of any origin.
bool is_header_name(std::string_view name);
bool is_header_value(std::string_view value);

// Whether only the server sets this header: framing and connection headers, proxy-*, webhook-*,
// postrider-*, and those that describe the body or the sender. Case does not matter.
bool is_reserved_header(std::string_view name);

base::Result<void> check_custom_header(std::string_view name, std::string_view value);

// Each of them, and all together: how many, and no name twice.
base::Result<void> check_custom_headers(std::span<const Header> headers);

}  // namespace net
