#include "http/method.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace http {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, kMethodCount> kWords = {"GET",   "HEAD",   "POST",   "PUT",
                                                               "PATCH", "DELETE", "OPTIONS"};

}  // namespace

std::optional<Method> parse_method(std::string_view word) {
  const auto found = std::ranges::find(kWords, word);
  if (found == kWords.end()) {
    return std::nullopt;
  }
  return static_cast<Method>(found - kWords.begin());
}

std::string_view to_word(Method method) { return kWords[static_cast<size_t>(method)]; }

}  // namespace http
