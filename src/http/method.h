// The methods that this server knows. Any other is answered with 501.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace http {

enum class Method : uint8_t { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions };
inline constexpr int kMethodCount = 7;

// Case matters, as RFC 9110 says.
std::optional<Method> parse_method(std::string_view word);
std::string_view to_word(Method method);

}  // namespace http
