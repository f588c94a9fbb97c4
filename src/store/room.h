// Waiting for room on the disk: who cannot write for want of space waits here until an attempt
// succeeds, instead of failing.
//
// Why wait: Debian's RocksDB aborts the process when an append fails, and a disk that somebody else
// filled is usually emptied again. Whoever must not hang asks `waiting_for` and answers
// "unavailable" meanwhile. There is no limit to the wait but stop(): giving up would lose the
// write, and waiting loses nothing.
//
// It knows no files and no RocksDB, and never guesses whether there is room: only an attempt tells.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>

#include "base/time.h"

namespace store {

class Room {
 public:
  // `on_waiting` hears true when the first one begins to wait and false when the last one has
  // ended; it runs on the thread that waits and must not call back.
  explicit Room(std::chrono::milliseconds poll, std::function<void(bool)> on_waiting = {});

  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  // Calls `attempt` now and again until it returns true. False if the room was stopped first.
  bool wait_until(const std::function<bool()>& attempt);

  // Ends every wait, now and later. For shutting down; there is no way back.
  void stop();

  // How long something has been waiting without a break; nothing if nothing waits.
  std::optional<base::Duration> waiting_for() const;
  // How many waits have begun so far.
  uint64_t waits() const;

 private:
  class Waiting;
  bool poll_until(const std::function<bool()>& attempt);

  const std::chrono::milliseconds poll_;
  const std::function<void(bool)> on_waiting_;

  mutable std::mutex mutex_;
  std::condition_variable stopped_;
  bool is_stopped_ = false;
  uint32_t waiting_ = 0;
  uint64_t waits_ = 0;
  std::chrono::steady_clock::time_point since_;
};

}  // namespace store
