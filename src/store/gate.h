// The open database between the committer, which may have to close and reopen it, and everybody who
// reads. Readers see the state that was published last, which is what has been reported as
// committed: never more.
#pragma once

#include <rocksdb/snapshot.h>

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "store/database.h"
#include "store/tables.h"

namespace store {

class Gate {
 public:
  // While it lives, the database stays open.
  class Visit {
   public:
    View view() const { return {.database = *database_, .snapshot = snapshot_.get()}; }

   private:
    friend class Gate;
    std::shared_lock<std::shared_mutex> lock_;
    const Database* database_ = nullptr;
    std::shared_ptr<const rocksdb::Snapshot> snapshot_;  // released before the lock
  };

  ~Gate() { close(); }

  // Nothing while the database is closed or nothing is published.
  std::optional<Visit> enter();

  // For the committer only:
  void open(std::unique_ptr<Database> database);
  void close();  // waits for those inside
  bool is_open() const { return database_ != nullptr; }
  const Database& database() const { return *database_; }
  // From now on readers see everything that is committed.
  void publish();

 private:
  std::shared_mutex mutex_;  // shared: inside; exclusive: opening and closing
  std::unique_ptr<Database> database_;
  std::mutex snapshot_mutex_;
  std::shared_ptr<const rocksdb::Snapshot> snapshot_;
};

}  // namespace store
