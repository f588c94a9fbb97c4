#include "store/gate.h"

#include <utility>

namespace store {

std::optional<Gate::Visit> Gate::enter() {
  Visit visit;
  visit.lock_ = std::shared_lock(mutex_);
  if (database_ == nullptr) {
    return std::nullopt;
  }
  visit.database_ = database_.get();
  const std::lock_guard lock(snapshot_mutex_);
  visit.snapshot_ = snapshot_;
  if (visit.snapshot_ == nullptr) {
    return std::nullopt;
  }
  return visit;
}

void Gate::open(std::unique_ptr<Database> database) {
  const std::unique_lock lock(mutex_);
  database_ = std::move(database);
}

void Gate::close() {
  const std::unique_lock lock(mutex_);
  snapshot_.reset();
  database_.reset();
}

void Gate::publish() {
  rocksdb::DB& db = database_->db();
  std::shared_ptr<const rocksdb::Snapshot> snapshot(
      db.GetSnapshot(), [&db](const rocksdb::Snapshot* old) { db.ReleaseSnapshot(old); });
  const std::lock_guard lock(snapshot_mutex_);
  snapshot_.swap(snapshot);
}

}  // namespace store
