// Finds out whether two sides hold the same things, without keeping either in memory: both are
// added up, per bucket, and equal sums mean equal sides. Only if they differ are both told a second
// time, and then only the buckets that differ are kept, so that what is wrong can be named.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace store {

class Reconciliation {
 public:
  enum class Side : uint8_t { kLeft, kRight };
  // What to say behind the name of a thing.
  struct Words {
    std::string_view only_left;
    std::string_view only_right;
    std::string_view different;  // it is on both sides, but not the same, or not as often
  };

  explicit Reconciliation(Words words) : words_(words) {}

  // `identity` finds its counterpart, `contents` must be equal; `name()` is a string for a person.
  template <class Name>
  void add(Side side, uint64_t identity, uint64_t contents, const Name& name) {
    const size_t bucket = base::mix(identity) % kBuckets;
    const auto index = static_cast<size_t>(side);
    if (!is_naming_) {
      sums_[index][bucket] += base::mix(identity, contents);
    } else if (is_suspect_[bucket]) {
      std::optional<uint64_t>& found = found_[name()][index];
      found = found.value_or(0) + base::mix(contents);
    }
  }

  bool is_even() const { return sums_[0] == sums_[1]; }
  // From now on everything is told a second time.
  void begin_naming();
  // After that: what is wrong, or some of it.
  std::vector<std::string> differences() const;

 private:
  static constexpr size_t kBuckets = 4096;
  static constexpr size_t kSuspectsMax = 32;  // more would only name more of the same

  Words words_;
  std::array<std::array<uint64_t, kBuckets>, 2> sums_{};
  bool is_naming_ = false;
  std::array<bool, kBuckets> is_suspect_{};
  std::map<std::string, std::array<std::optional<uint64_t>, 2>> found_;
};

}  // namespace store
