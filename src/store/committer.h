// The one thread that writes. It takes everything that waits, makes one atomic batch of it, writes
// that with one sync, and reports. There is no timer to wait for a fuller batch: while one sync is
// under way, the next batch fills.
//
// When a write fails nothing more is acknowledged. RocksDB refuses all writes after a failed sync,
// and the failed batch may be stored or not: so the database is closed and opened again, its commit
// number tells which of the two, and what is not there is written again. Those who wait for that
// turn hear of it then; meanwhile new publishes are refused and everything else waits.
#pragma once

#include <rocksdb/write_batch.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "store/commit_mark.h"
#include "store/free_space.h"
#include "store/gate.h"
#include "store/health_board.h"
#include "store/rollups.h"
#include "store/standing.h"
#include "store/turn.h"

namespace store {

// Something that wants to be part of a commit.
struct Work {
  // Told of the database that holds the commit, from which nothing else reads yet.
  using Completion = std::function<void(const Database&)>;

  // Puts it into the turn and returns what to do once that is durable. May be called again on a
  // later turn if the first could not be written.
  std::function<base::Result<Completion>(Turn&)> apply;
  uint64_t bytes = 0;
  bool ends_turn = false;  // nothing that comes after it may be in the same commit
};

class Committer {
 public:
  using OpenDatabase = std::function<base::Result<std::unique_ptr<Database>>()>;

  struct Options {
    std::string directory;
    bool sync = true;
    uint64_t reserve_bytes = 0;
    std::function<void(std::chrono::nanoseconds)> on_commit = {};  // after each; may be empty
  };
  struct Start {
    Standing standing;
    ShardOwners owners;
    CommitMark mark;
  };

  Committer(Options options, Gate& gate, HealthBoard& board, OpenDatabase open_database,
            Start start);
  // Commits what waits, unless the disk does not take it.
  ~Committer();

  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;

  // Goes on with what waits, but does not wait for a disk that takes nothing.
  void stop();
  // Until everything that waits is done. Completions may still ask for the committer's state.
  void join();

  void submit(Work work);
  uint64_t waiting_bytes() const;

  Standing standing() const;  // as of the last reported commit

  // For work that must read what its own commit has written, in its completion.
  RollupLedger& ledger() { return ledger_; }
  const ShardOwners& owners() const { return owners_; }

 private:
  // A batch that is ready to be written.
  struct Prepared {
    std::unique_ptr<Turn> turn;
    std::vector<Work::Completion> completions;
  };

  void run();
  std::vector<Work> take();
  void watch_space();
  void commit(const std::vector<Work>& works);
  base::Result<Prepared> prepare(const Database& database, const std::vector<Work>& works);
  base::Result<bool> write(const Database& database, const Prepared& prepared);
  void report(const Database& database, Prepared& prepared);
  // True if the turn turned out to be stored.
  bool reopen(Gate::Silence& silence, uint64_t commit, const base::Error& error);
  base::Result<bool> try_reopen(Gate::Silence& silence, uint64_t commit);
  bool pause();

  Options options_;
  Gate& gate_;
  HealthBoard& board_;
  OpenDatabase open_database_;
  std::optional<SpaceJudge> judge_;

  // Of the committer's thread:
  Standing standing_;
  ShardOwners owners_;
  RollupLedger ledger_;
  CommitMark mark_;
  rocksdb::WriteBatch write_batch_;  // of the turn under way; kept for its memory

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Work> waiting_;
  uint64_t waiting_bytes_ = 0;
  Standing reported_;
  bool is_stopping_ = false;
  std::thread thread_;
};

}  // namespace store
