#include "store/readers.h"

#include <chrono>
#include <optional>
#include <utility>

namespace store {
namespace {

constexpr std::chrono::milliseconds kPause(200);

}  // namespace

Readers::Readers(uint32_t count, Gate& gate, HealthBoard& board) : gate_(gate), board_(board) {
  for (uint32_t index = 0; index < count; ++index) {
    threads_.emplace_back([this] { run(); });
  }
}

Readers::~Readers() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void Readers::submit(Task task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void Readers::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return is_stopping_ || !tasks_.empty(); });
    if (is_stopping_) {
      return;
    }
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    const bool is_done = read(task);
    lock.lock();
    if (!is_done) {
      tasks_.push_back(std::move(task));
      wake_.wait_for(lock, kPause, [this] { return is_stopping_; });
    }
  }
}

bool Readers::read(const Task& task) {
  const std::optional<Gate::Visit> visit = gate_.enter();
  if (!visit) {
    return false;
  }
  const base::Result<bool> result = task(visit->view());
  if (!result.has_value()) {
    board_.set(HealthBoard::Cause::kReadFailed,
               "the store cannot be read: " + result.error().detail);
    has_failed_ = true;
    return false;
  }
  if (has_failed_.exchange(false)) {
    board_.clear(HealthBoard::Cause::kReadFailed);
  }
  return true;
}

}  // namespace store
