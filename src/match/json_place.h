// A value and how whoever wrote it finds it, for errors that name the place:
// filters[2].fieldValue."DE: name". Costs nothing until the path is asked for.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "match/json.h"

namespace match {

// Points to the place around it, which must live longer: both are locals of a descent.
class JsonPlace {
 public:
  JsonPlace(JsonValue value, std::string_view name) : value_(value), name_(name) {}

  JsonValue value() const { return value_; }
  JsonKind kind() const { return value_.kind(); }

  // A member by a name that is ours; missing if there is none.
  JsonPlace find(std::string_view name) const { return {value_.find(name), name, *this}; }
  // A member by a key that is the writer's, which is quoted.
  JsonPlace at(const JsonMember& member) const;
  JsonPlace at(size_t index, JsonValue element) const;

  std::string path() const;

 private:
  enum class Step : unsigned char { kName, kKey, kIndex };

  JsonPlace(JsonValue value, std::string_view name, const JsonPlace& around)
      : value_(value), name_(name), around_(&around) {}

  JsonValue value_;
  std::string_view name_;
  size_t index_ = 0;
  Step step_ = Step::kName;
  const JsonPlace* around_ = nullptr;
};

}  // namespace match
