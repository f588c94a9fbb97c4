// The slow, talkative reader beside the fast one: it is asked only when simdjson refuses a text,
// and says where and why. It also finds the integers that simdjson refuses for their length alone.
//
// It accepts exactly what json.h accepts, except that it does not look for doubled keys; the fuzz
// target `json` holds the two against each other.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace match {

struct JsonFault {
  size_t offset = 0;
  std::string_view what;  // a constant
};

struct JsonScan {
  std::optional<JsonFault> fault;
  std::vector<size_t> wide_integer_ends;  // where integers beyond 64 bits end, in order
};

JsonScan scan_json(std::string_view text);

}  // namespace match
