// The one deadline of an attempt, over everything from the name to the last header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace net {

class Deadline {
 public:
  Deadline(base::Instant start, base::Duration length) : at_(start + length) {}

  base::Instant at() const { return at_; }
  // What comes at the deadline comes too late.
  bool is_over(base::Instant now) const { return now >= at_; }
  base::Duration left(base::Instant now) const {
    return is_over(now) ? base::Duration() : at_ - now;
  }
  // How much of what is left the next of several tries may take, so that the last has its share.
  base::Instant share_until(base::Instant now, size_t tries_left) const {
    return now + base::Duration::ms(left(now).count_ms() / static_cast<int64_t>(tries_left));
  }

 private:
  base::Instant at_;
};

}  // namespace net
