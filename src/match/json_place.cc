#include "match/json_place.h"

#include <fmt/core.h>

#include "match/quote.h"

namespace match {

JsonPlace JsonPlace::at(const JsonMember& member) const {
  JsonPlace place(member.value, member.key, *this);
  place.step_ = Step::kKey;
  return place;
}

JsonPlace JsonPlace::at(size_t index, JsonValue element) const {
  JsonPlace place(element, {}, *this);
  place.step_ = Step::kIndex;
  place.index_ = index;
  return place;
}

std::string JsonPlace::path() const {
  const std::string around = around_ == nullptr ? "" : around_->path();
  if (step_ == Step::kIndex) {
    return fmt::format("{}[{}]", around, index_);
  }
  return fmt::format("{}{}{}", around, around.empty() ? "" : ".",
                     step_ == Step::kKey ? quote(name_) : name_);
}

}  // namespace match
