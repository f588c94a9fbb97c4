#include "store/committer.h"

#include <rocksdb/perf_level.h>

#include <chrono>
#include <utility>

#include "store/fail_points.h"

namespace store {
namespace {

using Cause = HealthBoard::Cause;

constexpr std::chrono::milliseconds kPause(250);
constexpr uint64_t kTurnBytesMax = 16ULL << 20U;
constexpr size_t kTurnWorksMax = 16'384;

}  // namespace

Committer::Committer(Options options, Gate& gate, HealthBoard& board, OpenDatabase open_database,
                     Start start)
    : options_(std::move(options)),
      gate_(gate),
      board_(board),
      open_database_(std::move(open_database)),
      standing_(start.standing),
      owners_(start.owners),
      mark_(std::move(start.mark)),
      reported_(start.standing) {
  watch_space();
  thread_ = std::thread([this] { run(); });
}

Committer::~Committer() {
  stop();
  join();
}

void Committer::join() {
  if (thread_.joinable()) {
    thread_.join();
  }
}

void Committer::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  wake_.notify_all();
}

void Committer::submit(Work work) {
  {
    const std::lock_guard lock(mutex_);
    waiting_bytes_ += work.bytes;
    waiting_.push_back(std::move(work));
  }
  wake_.notify_one();
}

uint64_t Committer::waiting_bytes() const {
  const std::lock_guard lock(mutex_);
  return waiting_bytes_;
}

Standing Committer::standing() const {
  const std::lock_guard lock(mutex_);
  return reported_;
}

void Committer::run() {
  // RocksDB would count each comparison of two keys for nobody.
  rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable);
  while (true) {
    const std::vector<Work> works = take();
    if (works.empty()) {
      return;
    }
    commit(works);
  }
}

// Nothing only when stopping and everything is done.
std::vector<Work> Committer::take() {
  std::unique_lock lock(mutex_);
  while (waiting_.empty() && !is_stopping_) {
    if (judge_ && !judge_->accepts()) {
      // Nobody writes, so nobody would notice that there is room again.
      wake_.wait_for(lock, kPause);
      lock.unlock();
      watch_space();
      lock.lock();
    } else {
      wake_.wait(lock);
    }
  }
  std::vector<Work> works;
  uint64_t bytes = 0;
  while (!waiting_.empty() && works.size() < kTurnWorksMax && bytes < kTurnBytesMax) {
    bytes += waiting_.front().bytes;
    works.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
    if (works.back().ends_turn) {
      break;
    }
  }
  waiting_bytes_ -= bytes;
  return works;
}

void Committer::watch_space() {
  const base::Result<DiskSpace> space = read_disk_space(options_.directory);
  if (!space.has_value()) {
    return;  // the next write will say what is wrong with this disk
  }
  if (!judge_) {
    judge_.emplace(options_.reserve_bytes != 0 ? space_limits(options_.reserve_bytes)
                                               : default_space_limits(space->total_bytes));
  }
  if (judge_->judge(space->available_bytes)) {
    board_.clear(Cause::kNoSpace);
  } else {
    board_.set(Cause::kNoSpace, judge_->reason(space->available_bytes));
  }
}

void Committer::commit(const std::vector<Work>& works) {
  watch_space();
  const auto begin = std::chrono::steady_clock::now();
  Gate::Silence silence = gate_.silence();
  for (bool is_first = true; is_first || pause(); is_first = false) {
    if (!silence.is_open()) {
      return;  // stopping, and the disk takes nothing: nobody is told anything false
    }
    base::Result<Prepared> prepared = prepare(silence.database(), works);
    const base::Result<bool> written = prepared.has_value()
                                           ? write(silence.database(), *prepared)
                                           : base::Result<bool>(std::unexpected(prepared.error()));
    const bool is_stored =
        written.has_value() || reopen(silence, standing_.commit + 1, written.error());
    if (is_stored) {
      if (options_.on_commit) {
        options_.on_commit(std::chrono::steady_clock::now() - begin);
      }
      report(silence.database(), *prepared);
      return;
    }
  }
}

base::Result<Committer::Prepared> Committer::prepare(const Database& database,
                                                     const std::vector<Work>& works) {
  Prepared prepared;
  write_batch_.Clear();
  prepared.turn = std::make_unique<Turn>(
      database, Turn::Before{.standing = standing_, .owners = owners_, .ledger = ledger_},
      write_batch_);
  prepared.completions.reserve(works.size());
  for (const Work& work : works) {
    TRY(Work::Completion completion, work.apply(*prepared.turn));
    prepared.completions.push_back(std::move(completion));
  }
  return prepared;
}

base::Result<bool> Committer::write(const Database& database, const Prepared& prepared) {
  FAIL_POINT("commit.before_write");
  rocksdb::WriteOptions options;
  options.sync = options_.sync;
  const rocksdb::Status status = database.db().Write(options, &prepared.turn->finish());
  if (!status.ok()) {
    return std::unexpected(error_of(status, "a commit could not be written"));
  }
  FAIL_POINT("commit.after_write");
  if (const auto marked = mark_.write(prepared.turn->standing().commit); !marked.has_value()) {
    return std::unexpected(marked.error());
  }
  FAIL_POINT("commit.after_mark");
  return true;
}

void Committer::report(const Database& database, Prepared& prepared) {
  standing_ = prepared.turn->standing();
  owners_ = prepared.turn->owners();
  prepared.turn->settle(ledger_);
  {
    const std::lock_guard lock(mutex_);
    reported_ = standing_;
  }
  for (const Work::Completion& completion : prepared.completions) {
    completion(database);
  }
  board_.clear(Cause::kWriteFailed);
}

bool Committer::reopen(Gate::Silence& silence, uint64_t commit, const base::Error& error) {
  board_.set(Cause::kWriteFailed, error.detail);
  do {
    silence.close();
    const base::Result<bool> is_stored = try_reopen(silence, commit);
    if (is_stored.has_value()) {
      return *is_stored;
    }
    board_.set(Cause::kWriteFailed, is_stored.error().detail);
  } while (pause());
  return false;
}

// Opening replays the log into new files and syncs those: what it shows is on disk.
base::Result<bool> Committer::try_reopen(Gate::Silence& silence, uint64_t commit) {
  TRY(std::unique_ptr<Database> database, open_database_());
  TRY(const std::optional<Standing> found, read_standing({.database = *database}));
  const uint64_t last = found ? found->commit : 0;
  if (last != commit && last != standing_.commit) {
    return base::fail(base::ErrorCode::kCorrupt, "after reopening, the database ends at commit " +
                                                     std::to_string(last) + " instead of " +
                                                     std::to_string(standing_.commit) +
                                                     "; it is not the one that was closed");
  }
  silence.open(std::move(database));
  return last == commit;
}

// False when it is time to give up because the process stops.
bool Committer::pause() {
  std::unique_lock lock(mutex_);
  return !wake_.wait_for(lock, kPause, [this] { return is_stopping_; });
}

}  // namespace store
