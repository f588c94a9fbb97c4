// A receiver in a process of its own that counts what it gets, and notes how late it came by the
// stamps of the payloads. Notes are in memory shared with us, so that looking disturbs nobody.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/outbound_sink.h"

namespace bench {

enum class FirstAttempts : uint8_t { kAreTaken, kAreRefused };

class WatchingSink {
 public:
  // First attempts that are refused get a 503, and are neither counted nor noted.
  explicit WatchingSink(FirstAttempts first);
  ~WatchingSink();
  WatchingSink(const WatchingSink&) = delete;
  WatchingSink& operator=(const WatchingSink&) = delete;

  uint16_t port() const { return process_->ports().plain; }

  // Requests that were taken so far.
  uint64_t received() const;
  // For each of them that had a stamp: arrival after it, in milliseconds.
  std::vector<double> late_ms() const;
  // Forgets what was noted and counted. Nothing may be on its way.
  void forget();

 private:
  struct Board;
  Board* board_;
  std::unique_ptr<SinkProcess> process_;
};

}  // namespace bench
