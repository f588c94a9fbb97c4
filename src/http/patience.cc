#include "http/patience.h"

namespace http {
namespace {

base::Duration allowed(const Pace& pace, uint64_t bytes) {
  const int64_t earned = static_cast<int64_t>(bytes) * 1000 / pace.bytes_per_second_min;
  return pace.grace + base::Duration::ms(earned);
}

}  // namespace

void Patience::wait_for(Wait what, base::Instant now, uint64_t bytes) {
  if (what != what_) {
    what_ = what;
    since_ = now;
  }
  bytes_ = bytes;
}

bool Patience::is_over(base::Instant now, const PatienceOptions& options) const {
  const base::Duration waited = now - since_;
  switch (what_) {
    case Wait::kNothing:
      return false;
    case Wait::kIdle:
      return waited >= options.idle_max;
    case Wait::kHead:
      return waited >= options.head_max;
    case Wait::kBody:
      return waited >= allowed(options.body, bytes_);
    case Wait::kAnswer:
      return waited >= allowed(options.answer, bytes_);
    case Wait::kLinger:
      return waited >= options.linger_max;
  }
  return false;
}

}  // namespace http
