#include "store/engine.h"

#include <rocksdb/env.h>

#include <filesystem>
#include <mutex>
#include <system_error>
#include <utility>

#include "store/commit_mark.h"
#include "store/committer.h"
#include "store/data_directory.h"
#include "store/delivery_walk.h"
#include "store/endpoint_facts.h"
#include "store/first_look.h"
#include "store/gate.h"
#include "store/readers.h"
#include "store/recovery.h"
#include "store/room_file_system.h"
#include "store/stats_reading.h"
#include "store/stories.h"
#include "store/sweep.h"
#include "store/upkeep.h"

namespace store {
namespace {

base::Result<bool> make_directory(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    return base::fail(base::ErrorCode::kIo,
                      "cannot create the data directory " + directory + ": " + error.message());
  }
  return true;
}

base::Result<ShardOwners> read_owners(const View& view) {
  ShardOwners owners{};
  for (uint32_t shard = 0; shard < base::kShardCount; ++shard) {
    const std::string key = epoch_key(static_cast<base::ShardId>(shard));
    TRY(const std::optional<std::string> record, view.database.get(Family::kMeta, key));
    if (record) {
      TRY(owners[shard].epoch, decode_number(key, *record));
    }
  }
  return owners;
}

// A database that has lost commits has been refused by now, unless that was accepted.
base::Result<CommitMark> check_mark(const EngineOptions& options, uint64_t commit) {
  const std::string path = mark_path(options.directory);
  TRY(CommitMark mark, CommitMark::open(path));
  if (const auto whole = check_commit_mark(path, mark.last(), commit); !whole.has_value()) {
    if (!options.accept_loss) {
      return std::unexpected(whole.error());
    }
    if (const auto reset = mark.reset(commit); !reset.has_value()) {
      return std::unexpected(reset.error());
    }
  }
  return mark;
}

uint64_t size_of(const Batch& batch) {
  uint64_t bytes = 0;
  for (const model::Publish& publish : batch.publishes) {
    bytes += 256 + (publish.content ? publish.content->payload.size() : 0) +
             publish.deliveries.size() * sizeof(model::Delivery);
  }
  return bytes;
}

BatchResult refusal_of(const Batch& batch) {
  BatchResult result;
  result.publishes.resize(batch.publishes.size());
  result.documents = Status::kFailed;
  return result;
}

}  // namespace

class Engine::Parts {
 public:
  explicit Parts(const EngineOptions& options)
      : options_(options),
        files_(std::make_shared<RoomFileSystem>(RoomOptions{.on_sync = options.on_sync})),
        env_(rocksdb::NewCompositeEnv(files_)) {}

  // A disk that takes nothing must not keep us: first nobody waits for it any more.
  ~Parts() {
    files_->stop();
    if (upkeep_) {
      upkeep_->stop();
    }
    if (committer_) {
      committer_->stop();
    }
    if (committer_) {
      committer_->join();  // while everything still has its name: completions use it
    }
    askers_.reset();
    readers_.reset();
    upkeep_.reset();
    committer_.reset();
  }

  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  base::Result<std::unique_ptr<Database>> open_database() {
    TRY([[maybe_unused]] const bool may_be_opened,
        look_before_opening(options_.directory,
                            options_.accept_loss ? Loss::kAccepted : Loss::kRefused));
    return Database::open({.directory = database_path(options_.directory),
                           .read_only = false,
                           .block_cache_bytes = options_.block_cache_bytes,
                           .write_buffer_bytes = options_.write_buffer_bytes,
                           .env = env_.get()});
  }

  base::Result<bool> start() {
    TRY(std::unique_ptr<Database> database, open_database());
    const View view{.database = *database};
    TRY(const std::optional<Standing> standing, read_standing(view));
    TRY(const ShardOwners owners, read_owners(view));
    TRY(CommitMark mark, check_mark(options_, standing ? standing->commit : 0));
    gate_.emplace(std::move(database));
    committer_ = std::make_unique<Committer>(
        Committer::Options{.directory = options_.directory,
                           .sync = options_.sync,
                           .reserve_bytes = options_.reserve_bytes,
                           .on_commit = options_.on_commit},
        *gate_, board_, [this] { return open_database(); },
        Committer::Start{
            .standing = standing.value_or(Standing{}), .owners = owners, .mark = std::move(mark)});
    readers_ = std::make_unique<Readers>(options_.readers, *gate_, board_);
    askers_ = std::make_unique<Readers>(options_.askers, *gate_, board_);
    upkeep_ = std::make_unique<Upkeep>(*gate_, *committer_);
    // What a crash has left half removed. If it cannot be done now, the next removal begins with
    // it.
    upkeep_->submit([](Upkeep& upkeep) {
      const base::Result<bool> finished = finish_removal(upkeep);
      static_cast<void>(finished.has_value());
    });
    return true;
  }

  template <class Answer>
  void read(std::function<base::Result<Answer>(const View&)> question,
            std::function<void(Answer)> done) {
    readers_->submit([question = std::move(question),
                      done = std::move(done)](const View& view) -> base::Result<bool> {
      TRY(Answer answer, question(view));
      done(std::move(answer));
      return true;
    });
  }

  // The same for a person, who is told what went wrong instead of waiting until it is repaired.
  template <class Answer>
  void ask(std::function<base::Result<Answer>(const View&)> question, Done<Answer> done) {
    if (refuses_question(done)) {
      return;
    }
    askers_->submit([question = std::move(question),
                     done = std::move(done)](const View& view) -> base::Result<bool> {
      done(question(view));
      return true;
    });
  }

  // For questions that walk: `make(database)` makes what reads, `read(it)` has it read meanwhile.
  template <class Answer, class Make, class Read>
  void ask_held(Make make, Read read, Done<Answer> done) {
    if (refuses_question(done)) {
      return;
    }
    askers_->submit_held([make = std::move(make), read = std::move(read),
                          done = std::move(done)](const Database& database) {
      return [read, done, reading = make(database)] {
        done(reading.has_value() ? read(**reading)
                                 : base::Result<Answer>(std::unexpected(reading.error())));
      };
    });
  }

  // Counts of these endpoints that are in no row yet. While nothing is written.
  base::Result<WaitingCounts> newest_counts(const View& view,
                                            const std::vector<base::EndpointId>& endpoints) {
    const std::lock_guard lock(ledger_mutex_);
    WaitingCounts newest;
    for (const base::EndpointId endpoint : endpoints) {
      WaitingCounts counts;
      if (committer_->owners()[endpoint.shard()].is_known) {
        counts = committer_->ledger().read(endpoint);
      } else {
        // Nobody has acquired the shard since the start: what waits is what the record says.
        TRY(counts, read_waiting_counts(view, endpoint));
      }
      newest.insert(newest.end(), counts.begin(), counts.end());
    }
    return newest;
  }

  Health health() const {
    if (files_->room().waiting_for()) {
      return {.is_available = false, .reason = "the disk is full"};
    }
    return board_.read();
  }

  using TakeShards = std::function<void(std::vector<model::ShardSnapshot>)>;

  // On the committer's thread. What cannot be read now is left to the readers, who say so and try
  // again until it can. The epochs stay those of this commit: whoever acquires the shards meanwhile
  // fences this caller.
  void answer_acquire(const Database& database, const std::vector<base::ShardId>& shards,
                      const TakeShards& done) {
    const auto read = [this, shards, done,
                       owners = committer_->owners()](const View& view) -> base::Result<bool> {
      const std::lock_guard lock(ledger_mutex_);
      TRY(std::vector<model::ShardSnapshot> snapshots,
          read_shards(view, shards, owners, committer_->standing().low_water,
                      committer_->ledger()));
      done(std::move(snapshots));
      return true;
    };
    if (!read({.database = database}).has_value()) {
      readers_->submit(read);
    }
  }

  // Outcomes are never refused: they are few, and make room for others.
  bool refuses(const Batch& batch) const {
    return batch.sections.empty() && !batch.low_water &&
           (!health().is_available || committer_->waiting_bytes() > options_.waiting_bytes_max);
  }

  Committer& committer() { return *committer_; }
  Upkeep& upkeep() { return *upkeep_; }

 private:
  template <class Answer>
  bool refuses_question(const Done<Answer>& done) {
    // While a commit waits for room nobody can read: a person should not wait as long.
    if (files_->room().waiting_for()) {
      done(base::fail(base::ErrorCode::kUnavailable,
                      "the disk is full; what is stored can be read when there is room again"));
      return true;
    }
    if (askers_->waiting() < options_.questions_max) {
      return false;
    }
    done(base::fail(base::ErrorCode::kUnavailable,
                    "too many questions wait to be answered; ask again in a moment"));
    return true;
  }

  EngineOptions options_;
  std::shared_ptr<RoomFileSystem> files_;
  std::unique_ptr<rocksdb::Env> env_;
  HealthBoard board_;
  // The committer's ledger is nobody else's, but for readers who answer an acquire. Those hold the
  // gate, so that the committer is elsewhere, and keep each other away by this.
  std::mutex ledger_mutex_;
  std::optional<Gate> gate_;
  std::unique_ptr<Committer> committer_;
  std::unique_ptr<Readers> readers_;
  std::unique_ptr<Readers> askers_;
  std::unique_ptr<Upkeep> upkeep_;
};

base::Result<std::unique_ptr<Engine>> Engine::open(const EngineOptions& options) {
  TRY([[maybe_unused]] const bool is_there, make_directory(options.directory));
  auto parts = std::make_unique<Parts>(options);
  TRY([[maybe_unused]] const bool is_started, parts->start());
  return std::unique_ptr<Engine>(new Engine(std::move(parts)));
}

Engine::Engine(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Engine::~Engine() = default;

void Engine::commit(base::Instant at, Batch batch, std::function<void(BatchResult)> done) {
  commit_counted(at, std::move(batch),
                 [done = std::move(done)](BatchResult result, const std::optional<Totals>&) {
                   done(std::move(result));
                 });
}

void Engine::commit_counted(base::Instant at, Batch batch, Counted done) {
  if (parts_->refuses(batch)) {
    done(refusal_of(batch), std::nullopt);
    return;
  }
  const uint64_t bytes = size_of(batch);
  parts_->committer().submit(
      {.apply = [at, batch = std::move(batch),
                 done = std::move(done)](Turn& turn) -> base::Result<Work::Completion> {
         TRY(BatchResult result, turn.apply(at, batch));
         return Work::Completion([&done, result = std::move(result),
                                  totals = turn.standing().totals](const Database&) mutable {
           done(std::move(result), totals);
         });
       },
       .bytes = bytes});
}

void Engine::acquire(std::vector<base::ShardId> shards,
                     std::function<void(std::vector<model::ShardSnapshot>)> done) {
  const auto apply = [&parts = *parts_, shards = std::move(shards),
                      done = std::move(done)](Turn& turn) -> base::Result<Work::Completion> {
    for (const base::ShardId shard : shards) {
      turn.acquire(shard);
    }
    return Work::Completion([&parts, &shards, &done](const Database& database) {
      parts.answer_acquire(database, shards, done);
    });
  };
  parts_->committer().submit({.apply = apply, .ends_turn = true});
}

void Engine::load_due(const model::DueQuery& query, std::function<void(model::DuePage)> done) {
  parts_->read<model::DuePage>([query](const View& view) { return read_due(view, query); },
                               std::move(done));
}

void Engine::load_expired(const model::ExpiryQuery& query,
                          std::function<void(model::ExpiryPage)> done) {
  parts_->read<model::ExpiryPage>([query](const View& view) { return read_expired(view, query); },
                                  std::move(done));
}

void Engine::load_delivery(base::DeliveryId delivery,
                           std::function<void(std::optional<FoundDelivery>)> done) {
  parts_->read<std::optional<FoundDelivery>>(
      [delivery](const View& view) { return read_delivery(view, delivery); }, std::move(done));
}

void Engine::load_event(base::Sequence sequence,
                        std::function<void(std::optional<model::Event>)> done) {
  parts_->read<std::optional<model::Event>>(
      [sequence](const View& view) { return read_event(view, sequence); }, std::move(done));
}

void Engine::load_documents(const model::DocumentQuery& query,
                            std::function<void(model::DocumentPage)> done) {
  parts_->read<model::DocumentPage>(
      [query](const View& view) { return read_documents(view, query); }, std::move(done));
}

void Engine::find_event(const EventQuery& query, Done<std::optional<EventStory>> done) {
  parts_->ask<std::optional<EventStory>>(
      [query](const View& view) { return read_event_story(view, query); }, std::move(done));
}

void Engine::find_delivery(base::TenantId tenant, base::DeliveryId delivery,
                           Done<std::optional<EventStory>> done) {
  parts_->ask<std::optional<EventStory>>(
      [tenant, delivery](const View& view) { return read_delivery_story(view, tenant, delivery); },
      std::move(done));
}

void Engine::list_deliveries(const DeliveryQuery& query, Clock clock, Done<DeliveryPage> done) {
  const auto make = [&parts = *parts_, query](
                        const Database& database) -> base::Result<std::shared_ptr<DeliveryWalk>> {
    WaitingCounts newest;
    if (query.filter.endpoint) {
      TRY(newest, parts.newest_counts({.database = database}, {*query.filter.endpoint}));
    }
    return std::make_shared<DeliveryWalk>(database, query, std::move(newest));
  };
  const auto read = [clock = std::move(clock)](DeliveryWalk& walk) { return walk.read(clock); };
  parts_->ask_held<DeliveryPage>(make, read, std::move(done));
}

void Engine::read_endpoints(std::vector<base::EndpointId> endpoints,
                            Done<std::vector<std::optional<EndpointFacts>>> done) {
  parts_->ask<std::vector<std::optional<EndpointFacts>>>(
      [endpoints = std::move(endpoints)](const View& view) {
        return read_endpoint_facts(view, endpoints);
      },
      std::move(done));
}

void Engine::read_history(const HistoryQuery& query, Done<HistoryPage> done) {
  parts_->ask<HistoryPage>([query](const View& view) { return store::read_history(view, query); },
                           std::move(done));
}

void Engine::read_stats(const StatsQuery& query, Done<Stats> done) {
  const auto make = [&parts = *parts_, query](
                        const Database& database) -> base::Result<std::shared_ptr<StatsReading>> {
    TRY(const WaitingCounts newest, parts.newest_counts({.database = database}, query.endpoints));
    return std::make_shared<StatsReading>(database, query, newest);
  };
  const auto read = [](StatsReading& reading) { return reading.read(); };
  parts_->ask_held<Stats>(make, read, std::move(done));
}

void Engine::audit(std::function<void(base::Result<AuditReport>)> done) {
  parts_->upkeep().submit([done = std::move(done)](Upkeep& upkeep) {
    const auto held = upkeep.hold<AuditScans>();
    done(held.has_value()
             ? store::audit(*held->reading, [&upkeep] { return upkeep.wants_out().load(); })
             : std::unexpected(held.error()));
  });
}

void Engine::retain(const RetentionLimits& limits,
                    std::function<void(base::Result<RetentionResult>)> done) {
  parts_->upkeep().submit(
      [limits, done = std::move(done)](Upkeep& upkeep) { done(store::retain(upkeep, limits)); });
}

void Engine::backup(std::string target, std::function<void(base::Result<BackupResult>)> done) {
  parts_->upkeep().submit([target = std::move(target), done = std::move(done)](Upkeep& upkeep) {
    done(back_up(upkeep, target));
  });
}

void Engine::erase_tenant(base::TenantId tenant,
                          std::function<void(base::Result<EraseResult>)> done) {
  parts_->upkeep().submit([tenant, done = std::move(done)](Upkeep& upkeep) {
    done(store::erase_tenant(upkeep, tenant));
  });
}

base::Instant Engine::last_committed() const {
  return parts_->committer().standing().last_committed;
}

Standing Engine::standing() const { return parts_->committer().standing(); }

Health Engine::health() const { return parts_->health(); }

}  // namespace store
