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
  enqueue([this, task = std::move(task)] { return read(task); });
}

void Readers::submit_held(Question question) {
  enqueue([this, question = std::move(question)] { return read_held(question); });
}

void Readers::enqueue(std::function<bool()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
}

size_t Readers::waiting() const {
  const std::lock_guard lock(mutex_);
  return jobs_.size();
}

void Readers::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return is_stopping_ || !jobs_.empty(); });
    if (is_stopping_) {
      return;
    }
    std::function<bool()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    const bool is_done = job();
    lock.lock();
    if (!is_done) {
      jobs_.push_back(std::move(job));
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

bool Readers::read_held(const Question& question) {
  std::optional<Gate::Visit> quiet = gate_.enter();
  const std::optional<Gate::Visit> visit = gate_.stay();
  if (!quiet || !visit) {
    return false;
  }
  const std::function<void()> rest = question(visit->view().database);
  quiet.reset();
  rest();
  return true;
}

}  // namespace store
