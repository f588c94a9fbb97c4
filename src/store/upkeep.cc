#include "store/upkeep.h"

namespace store {
namespace {

constexpr uint64_t kKeyBytes = 64;  // of a deletion, about

std::unexpected<base::Error> unavailable() {
  return base::fail(base::ErrorCode::kUnavailable,
                    "the store is being closed or reopened; try again later");
}

}  // namespace

Upkeep::Upkeep(Gate& gate, Committer& committer)
    : gate_(gate), committer_(committer), signal_(std::make_shared<Signal>()) {
  thread_ = std::thread([this] { run(); });
}

Upkeep::~Upkeep() {
  stop();
  thread_.join();
}

void Upkeep::stop() {
  gate_.end();
  {
    const std::lock_guard lock(signal_->mutex);
    signal_->is_stopping = true;
  }
  signal_->wake.notify_all();
}

void Upkeep::submit(Job job) {
  {
    const std::lock_guard lock(signal_->mutex);
    jobs_.push_back(std::move(job));
  }
  signal_->wake.notify_all();
}

void Upkeep::run() {
  std::unique_lock lock(signal_->mutex);
  while (true) {
    signal_->wake.wait(lock, [this] { return signal_->is_stopping || !jobs_.empty(); });
    if (jobs_.empty()) {
      return;
    }
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job(*this);
    lock.lock();
  }
}

base::Result<Gate::Visit> Upkeep::stay() {
  if (wants_out()) {
    return unavailable();
  }
  std::optional<Gate::Visit> visit = gate_.stay();
  if (!visit) {
    return unavailable();
  }
  return *std::move(visit);
}

base::Result<bool> Upkeep::commit(std::function<void(Turn&)> apply, uint64_t bytes) {
  submitted_ += 1;
  const auto put = [apply = std::move(apply),
                    signal = signal_](Turn& turn) -> base::Result<Work::Completion> {
    apply(turn);
    return Work::Completion([signal](const Database&) {
      {
        const std::lock_guard lock(signal->mutex);
        signal->committed += 1;
      }
      signal->wake.notify_all();
    });
  };
  committer_.submit({.apply = put, .bytes = bytes});
  std::unique_lock lock(signal_->mutex);
  signal_->wake.wait(lock,
                     [this] { return signal_->is_stopping || signal_->committed == submitted_; });
  if (signal_->committed != submitted_) {
    return unavailable();
  }
  return true;
}

base::Result<bool> Upkeep::erase(Family family, std::vector<std::string> keys) {
  if (keys.empty()) {
    return true;
  }
  const uint64_t bytes = keys.size() * kKeyBytes;
  return commit(
      [family, keys = std::move(keys)](Turn& turn) {
        for (const std::string& key : keys) {
          turn.erase(family, key);
        }
      },
      bytes);
}

}  // namespace store
