// Paths and queries: what is decoded is text, encoded anew it is decoded to the same, and a
// parameter is found under its name.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "http/path_tree.h"
#include "http/percent.h"
#include "http/query.h"
#include "tests/fuzz/fuzz_target.h"

namespace fuzz {

namespace {

// Every byte as an escape.
std::string encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char character : text) {
    const auto code = static_cast<unsigned char>(character);
    encoded += {'%', kDigits[code >> 4U], kDigits[code & 15U]};
  }
  return encoded;
}

void check_decoding(std::string_view input, http::Plus plus) {
  const std::optional<std::string> decoded = http::percent_decode(input, plus);
  if (!decoded.has_value()) {
    return;
  }
  CHECK(decoded->size() <= input.size());
  for (const char character : *decoded) {
    CHECK(static_cast<unsigned char>(character) >= 0x20 && character != 0x7f);
  }
  CHECK(http::percent_decode(encode(*decoded), plus) == decoded);
}

void check_query(std::string_view input) {
  const auto query = http::Query::parse(input);
  if (!query.has_value()) {
    CHECK(!query.error().detail.empty());
    return;
  }
  CHECK(query->parameters().size() <= http::Query::kParametersMax);
  for (const http::Parameter& parameter : query->parameters()) {
    CHECK(!parameter.name.empty());
    CHECK(query->find(parameter.name) == parameter.value);
  }
}

void check_path(std::string_view input) {
  http::PathTree tree;
  tree.add(http::Method::kGet, "/v1/{a}/b/{c}", 1);
  tree.add(http::Method::kPost, "/v1/list", 2);
  const auto place = tree.find(input);
  if (place.has_value()) {
    CHECK(place->values.empty() || place->values.size() == 2);
    for (const std::string& value : place->values) {
      CHECK(!value.empty());
    }
  }
}

}  // namespace

void check(std::string_view input) {
  check_decoding(input, http::Plus::kIsPlus);
  check_decoding(input, http::Plus::kIsBlank);
  check_query(input);
  check_path(input);
}

}  // namespace fuzz
