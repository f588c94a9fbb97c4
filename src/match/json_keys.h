// Finds an object that names a key twice, and nesting that simdjson overlooks. Runs over every
// payload, so it walks simdjson's own handles, costs a few nanoseconds per member and allocates
// nothing once it is warm. For json.cc alone.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace match {

class JsonKeys {
 public:
  // A sentence that names the place; empty if all is well.
  std::string find_problem(simdjson::dom::element root);

 private:
  bool is_clean(simdjson::dom::element value, size_t depth);
  bool is_clean_array(simdjson::dom::array array, size_t depth);
  bool is_clean_object(simdjson::dom::object object, size_t depth);
  // Among the keys from `first` on; reorders them.
  std::optional<std::string_view> find_twin(size_t first);
  std::optional<std::string_view> find_twin_by_marks(size_t first) const;
  // Puts a step in front of the path to the place where something is wrong.
  bool refuse_within(std::string_view step);

  // The keys of the objects under way, innermost last; and for each 32 bits made of its length and
  // its ends, which tell most keys apart.
  std::vector<std::string_view> keys_;
  std::vector<uint32_t> marks_;
  std::string path_;
  std::string problem_;
};

}  // namespace match
