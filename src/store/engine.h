// Everything that belongs to one open data directory: the database, the committer thread and the
// readers. RocksStore hands its calls to it; the commands for operators (audit, backup, retention)
// use it directly.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "store/audit.h"
#include "store/backup.h"
#include "store/erase.h"
#include "store/health_board.h"
#include "store/queries.h"
#include "store/retention.h"
#include "store/standing.h"
#include "store/store.h"

namespace store {

struct EngineOptions {
  std::string directory;  // created if it is not there
  // Opens a database that has lost commits it had reported, and goes on without them.
  bool accept_loss = false;
  bool read_only = false;
  // False only in the negative controls of the crash tests: acknowledges what is not on disk.
  bool sync = true;
  uint64_t block_cache_bytes = 64ULL << 20U;
  uint64_t write_buffer_bytes = 32ULL << 20U;  // of the large tables; the small ones have less
  uint64_t reserve_bytes = 0;                  // publishes are refused below it; 0: by disk size
  uint64_t waiting_bytes_max = 256ULL << 20U;
  uint32_t readers = 2;          // for deliveries
  uint32_t askers = 2;           // the same for people's questions, which no delivery waits for
  uint32_t questions_max = 256;  // that wait; more are refused
  // Told how long each took, on threads of the engine; may be empty.
  std::function<void(std::chrono::nanoseconds)> on_commit = {};
  std::function<void(std::chrono::nanoseconds)> on_sync = {};
};

class Engine {
 public:
  static base::Result<std::unique_ptr<Engine>> open(const EngineOptions& options);
  // Commits what waits, then closes.
  ~Engine();

  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // `done` and the like run on threads of the engine: RocksStore brings them home.
  void commit(base::Instant at, Batch batch, std::function<void(BatchResult)> done);
  // The same; `done` also hears what all deliveries add up to with this batch and those before it,
  // but none of those after it. Nothing if the batch was refused.
  using Counted = std::function<void(BatchResult, const std::optional<Totals>&)>;
  void commit_counted(base::Instant at, Batch batch, Counted done);
  void acquire(std::vector<base::ShardId> shards,
               std::function<void(std::vector<model::ShardSnapshot>)> done);
  void load_due(const model::DueQuery& query, std::function<void(model::DuePage)> done);
  void load_expired(const model::ExpiryQuery& query, std::function<void(model::ExpiryPage)> done);
  void load_delivery(base::DeliveryId delivery,
                     std::function<void(std::optional<FoundDelivery>)> done);
  void load_event(base::Sequence sequence, std::function<void(std::optional<model::Event>)> done);
  void load_documents(const model::DocumentQuery& query,
                      std::function<void(model::DocumentPage)> done);

  // What people ask: see queries.h, whose class brings the answers home. `clock` is read on a
  // thread of the engine.
  using Clock = std::function<base::Instant()>;
  template <class Answer>
  using Done = std::function<void(base::Result<Answer>)>;
  void find_event(const EventQuery& query, Done<std::optional<EventStory>> done);
  void find_delivery(base::TenantId tenant, base::DeliveryId delivery,
                     Done<std::optional<EventStory>> done);
  void list_deliveries(const DeliveryQuery& query, Clock clock, Done<DeliveryPage> done);
  void read_endpoints(std::vector<base::EndpointId> endpoints,
                      Done<std::vector<std::optional<EndpointFacts>>> done);
  void read_history(const HistoryQuery& query, Done<HistoryPage> done);
  void read_stats(const StatsQuery& query, Done<Stats> done);

  // What takes long: see upkeep.h. One at a time, in the order asked for, beside everything else.
  void audit(std::function<void(base::Result<AuditReport>)> done);
  void retain(const RetentionLimits& limits,
              std::function<void(base::Result<RetentionResult>)> done);
  void backup(std::string target, std::function<void(base::Result<BackupResult>)> done);
  void erase_tenant(base::TenantId tenant, std::function<void(base::Result<EraseResult>)> done);

  base::Instant last_committed() const;
  Standing standing() const;  // as of the last reported commit
  Health health() const;

 private:
  class Parts;
  explicit Engine(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace store
