// Why the store cannot take publishes, if it cannot: written by whoever finds out, read by
// everybody.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace store {

// Why publishes are refused, in words for an operator; empty if they are not.
struct Health {
  bool is_available = true;
  std::string reason;
};

class HealthBoard {
 public:
  enum class Cause : uint8_t { kWriteFailed, kReadFailed, kNoSpace };

  void set(Cause cause, std::string reason) {
    const std::lock_guard lock(mutex_);
    reasons_[static_cast<size_t>(cause)] = std::move(reason);
  }
  void clear(Cause cause) { set(cause, {}); }

  Health read() const {
    const std::lock_guard lock(mutex_);
    for (const std::string& reason : reasons_) {
      if (!reason.empty()) {
        return {.is_available = false, .reason = reason};
      }
    }
    return {};
  }

 private:
  mutable std::mutex mutex_;
  std::array<std::string, 3> reasons_;
};

}  // namespace store
