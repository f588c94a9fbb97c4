#include "http/request_ids.h"

#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/hash.h"

namespace http {
namespace {

constexpr size_t kClientIdSizeMax = 64;

bool is_harmless(std::string_view id) {
  return !id.empty() && id.size() <= kClientIdSizeMax && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

}  // namespace

void RequestIds::assign(std::string& id, const Fields& fields) {
  const std::optional<std::string_view> given = fields.find("x-request-id");
  if (given.has_value() && is_harmless(*given)) {
    id = *given;
  } else {
    assign_new(id);
  }
}

void RequestIds::assign_new(std::string& id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  count_ += 1;
  uint64_t number = base::mix(seed_ ^ count_);  // different for every count
  id.resize(16);
  for (char& digit : id) {
    digit = kDigits[number & 15U];
    number >>= 4U;
  }
}

}  // namespace http
