// How long a client may take for what it is doing now. Knows no clock.
//
// A slow client is no crime, a client that holds a connection for nothing is. So each step has its
// time: a head must be complete within a fixed one; a body must come, and an answer must be taken,
// at a least rate after a time of grace. One byte at a time buys nothing.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace http {

// At least so fast, over all of it, after a time of grace.
struct Pace {
  base::Duration grace;
  int64_t bytes_per_second_min;
};

struct PatienceOptions {
  base::Duration idle_max = base::Duration::seconds(75);  // between requests
  base::Duration head_max = base::Duration::seconds(10);  // from its first byte, or the accept
  Pace body{.grace = base::Duration::seconds(10), .bytes_per_second_min = 8 * 1024};
  Pace answer{.grace = base::Duration::seconds(10), .bytes_per_second_min = 8 * 1024};
  // After a refusal the client gets this long to read it, before the connection is cut.
  base::Duration linger_max = base::Duration::seconds(2);
};

enum class Wait : uint8_t {
  kNothing,  // it is our turn, or a stream that may be silent
  kIdle,
  kHead,
  kBody,
  kAnswer,  // for the client to take it
  kLinger,
};

class Patience {
 public:
  // The client is to do this; `bytes` are what it has done of it so far. The time counts from when
  // it was first said.
  void wait_for(Wait what, base::Instant now, uint64_t bytes = 0);
  void start_over() { what_ = Wait::kNothing; }

  Wait what() const { return what_; }
  bool is_over(base::Instant now, const PatienceOptions& options) const;

 private:
  Wait what_ = Wait::kNothing;
  base::Instant since_;
  uint64_t bytes_ = 0;
};

}  // namespace http
