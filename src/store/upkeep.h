// The thread for what takes long on an open database: audit, backup, retention, erase. One job at a
// time, so that none of them pulls files from under another. Commits and reads go on meanwhile.
//
// A job stays in the database only as long as it may: when the committer has to reopen the
// database, or the engine closes, it is asked to go and ends with kUnavailable. Every job that was
// submitted gets to run, if only to hear that.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/committer.h"
#include "store/gate.h"
#include "store/turn.h"

namespace store {

class Upkeep {
 public:
  using Job = std::function<void(Upkeep&)>;

  // Something that reads, and what keeps the database open for it.
  template <class Reading>
  struct Held {
    Gate::Visit visit;
    std::unique_ptr<Reading> reading;
  };

  Upkeep(Gate& gate, Committer& committer);
  ~Upkeep();

  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

  // Asks the job under way to end.
  void stop();

  void submit(Job job);

  // For jobs. The database changes while one stays.
  base::Result<Gate::Visit> stay();
  std::atomic<bool>& wants_out() { return gate_.wants_out(); }

  // Makes a Reading(database, arguments...) at a moment when everything that is there was reported
  // and nothing is written: all scans in it show that moment.
  template <class Reading, class... Arguments>
  base::Result<Held<Reading>> hold(const Arguments&... arguments) {
    const std::optional<Gate::Visit> quiet = gate_.enter();
    TRY(Gate::Visit visit, stay());
    auto reading = std::make_unique<Reading>(visit.view().database, arguments...);
    return Held<Reading>{std::move(visit), std::move(reading)};
  }

  // Makes it part of a commit and returns when that is durable. `bytes`: about how many it writes.
  base::Result<bool> commit(std::function<void(Turn&)> apply, uint64_t bytes);
  // The same for records that go. Keep to kSliceKeys at a time: commits of others wait meanwhile.
  base::Result<bool> erase(Family family, std::vector<std::string> keys);
  static constexpr size_t kSliceKeys = 10'000;  // takes the committer about 10 ms

  Standing standing() const { return committer_.standing(); }

 private:
  // Outlives the thread: a commit that nobody waits for any more may still be reported.
  struct Signal {
    std::mutex mutex;
    std::condition_variable wake;
    bool is_stopping = false;
    uint64_t committed = 0;  // works of ours
  };

  void run();

  Gate& gate_;
  Committer& committer_;
  std::shared_ptr<Signal> signal_;
  std::deque<Job> jobs_;  // under the signal's mutex
  uint64_t submitted_ = 0;
  std::thread thread_;
};

}  // namespace store
