// The open database between the committer, which writes and may have to close and reopen it, and
// everybody who reads.
//
// From the moment a batch is written until it has been reported, nobody reads: so readers see what
// has been reported as committed and never more. (Snapshots of RocksDB would do that without the
// wait, but whenever one is released RocksDB rewrites its files to forget it: that doubled the
// bytes written per message.)
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <utility>

#include "store/database.h"
#include "store/tables.h"

namespace store {

class Gate {
 public:
  // While it lives the database stays open.
  class Visit {
   public:
    View view() const { return {.database = *database_}; }

   private:
    friend class Gate;
    std::shared_lock<std::shared_mutex> lock_;
    const Database* database_ = nullptr;
  };

  // The committer, from before a batch is written until it was reported.
  class Silence {
   public:
    bool is_open() const { return gate_.database_ != nullptr; }
    const Database& database() const { return *gate_.database_; }
    void close();  // asks those who stay to go, and waits for them
    void open(std::unique_ptr<Database> database);

   private:
    friend class Gate;
    explicit Silence(Gate& gate) : gate_(gate), lock_(gate.quiet_) {}
    Gate& gate_;
    std::unique_lock<std::shared_mutex> lock_;
  };

  explicit Gate(std::unique_ptr<Database> database) : database_(std::move(database)) {}

  // For short reads: nothing is written meanwhile, and everything that is there was reported.
  // Nothing only when the store could not be reopened and is shutting down.
  std::optional<Visit> enter() { return visit(quiet_); }
  // For long reads: the database changes meanwhile, and may show what is not reported yet.
  std::optional<Visit> stay() { return visit(open_); }
  Silence silence() { return Silence(*this); }

  // For those who stay: true when they are to go, because the database must be closed.
  std::atomic<bool>& wants_out() { return wants_out_; }
  // From now on nobody stays for long.
  void end();

 private:
  std::optional<Visit> visit(std::shared_mutex& mutex);

  std::shared_mutex quiet_;  // exclusive: a silence
  std::shared_mutex open_;   // exclusive, within a silence: closing and opening
  std::atomic<bool> wants_out_ = false;
  std::atomic<bool> is_ending_ = false;
  std::unique_ptr<Database> database_;
};

}  // namespace store
