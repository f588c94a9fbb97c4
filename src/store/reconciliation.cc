#include "store/reconciliation.h"

namespace store {

void Reconciliation::begin_naming() {
  is_naming_ = true;
  size_t suspects = 0;
  for (size_t bucket = 0; bucket < kBuckets && suspects < kSuspectsMax; ++bucket) {
    is_suspect_[bucket] = sums_[0][bucket] != sums_[1][bucket];
    suspects += is_suspect_[bucket] ? 1 : 0;
  }
}

std::vector<std::string> Reconciliation::differences() const {
  std::vector<std::string> lines;
  for (const auto& [name, sides] : found_) {
    const auto& [left, right] = sides;
    if (left == right) {
      continue;
    }
    const std::string_view words =
        !right ? words_.only_left : (!left ? words_.only_right : words_.different);
    lines.push_back(name + " " + std::string(words));
  }
  return lines;
}

}  // namespace store
