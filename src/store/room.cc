#include "store/room.h"

#include <utility>

namespace store {

// One who waits. The observer is told under the mutex, so that it hears of changes in their order.
class Room::Waiting {
 public:
  explicit Waiting(Room& room) : room_(room) {
    const std::scoped_lock lock(room_.mutex_);
    ++room_.waits_;
    if (++room_.waiting_ == 1) {
      room_.since_ = std::chrono::steady_clock::now();
      tell(true);
    }
  }
  ~Waiting() {
    const std::scoped_lock lock(room_.mutex_);
    if (--room_.waiting_ == 0) {
      tell(false);
    }
  }

  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void tell(bool is_waiting) const {
    if (room_.on_waiting_) {
      room_.on_waiting_(is_waiting);
    }
  }

  Room& room_;
};

Room::Room(std::chrono::milliseconds poll, std::function<void(bool)> on_waiting)
    : poll_(poll), on_waiting_(std::move(on_waiting)) {}

bool Room::wait_until(const std::function<bool()>& attempt) {
  const Waiting waiting(*this);
  return poll_until(attempt);
}

bool Room::poll_until(const std::function<bool()>& attempt) {
  while (true) {
    {
      const std::scoped_lock lock(mutex_);
      if (is_stopped_) {
        return false;
      }
    }
    if (attempt()) {
      return true;
    }
    std::unique_lock lock(mutex_);
    stopped_.wait_for(lock, poll_, [this] { return is_stopped_; });
  }
}

void Room::stop() {
  const std::scoped_lock lock(mutex_);
  is_stopped_ = true;
  stopped_.notify_all();
}

std::optional<base::Duration> Room::waiting_for() const {
  const std::scoped_lock lock(mutex_);
  if (waiting_ == 0) {
    return std::nullopt;
  }
  const auto waited = std::chrono::steady_clock::now() - since_;
  return base::Duration::ms(std::chrono::duration_cast<std::chrono::milliseconds>(waited).count());
}

uint64_t Room::waits() const {
  const std::scoped_lock lock(mutex_);
  return waits_;
}

}  // namespace store
