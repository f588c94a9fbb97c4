// Plays producer, delivery core and receivers for the embedded store: events and the outcomes of
// their first attempts, over many endpoints, with checkpoints every five seconds as the core makes
// them.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/prng.h"
#include "base/time.h"
#include "model/endpoint.h"
#include "model/event.h"
#include "model/section.h"
#include "store/engine.h"

namespace bench {

inline constexpr uint64_t kEndpoints = 100'000;

struct Usage {
  double cpu_us = 0;
  double wall_us = 0;
  uint64_t written = 0;  // bytes that went to the disk
};
// Of the whole process so far.
Usage usage_now();
Usage operator-(const Usage& after, const Usage& before);

base::Instant wall_clock_now();
base::EndpointId endpoint_number(uint64_t number);
base::TenantId tenant_of_endpoint(uint64_t number);

using Contents = std::vector<std::shared_ptr<const model::Event>>;
// Random JSON; events share them in turn.
Contents make_contents();

// Opens a store or ends the program with the reason.
std::unique_ptr<store::Engine> open_engine(const std::string& directory);

// Takes over all shards and waits for their snapshots.
std::vector<model::ShardSnapshot> acquire_all(store::Engine& engine);

class Load {
 public:
  Load(store::Engine& engine, const std::vector<model::ShardSnapshot>& owned, bool with_keys);

  // Sends this many messages through their whole life.
  void run(uint64_t messages);
  // Of this thread since the load was made, without what it spent inside the store's calls.
  double own_cpu_us() const;
  // One message alone: from the call to the acknowledgement.
  double publish_alone_us();

 private:
  model::Publish next_publish(base::Instant now);
  void publish(uint64_t count);
  std::vector<model::Delivery> wait_for_queued();
  void deliver(const std::vector<model::Delivery>& queued);
  model::Section outcome_of(const model::Delivery& delivery);
  model::Section next_section(base::EndpointId endpoint);
  void checkpoint();
  void commit(base::Instant at, store::Batch batch, std::function<void(store::BatchResult)> done);

  double begin_us_;
  double inside_us_ = 0;
  store::Engine& engine_;
  bool with_keys_;
  base::Prng prng_{7};
  Contents contents_ = make_contents();
  std::array<uint64_t, base::kShardCount> epochs_{};
  std::array<uint64_t, base::kShardCount> numbers_{};
  std::vector<model::EndpointRecord> records_;
  std::vector<bool> is_dirty_ = std::vector<bool>(kEndpoints);
  std::vector<uint64_t> dirty_;
  uint64_t published_ = 0;
  uint64_t delivered_ = 0;
  base::Sequence low_water_ = 0;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<model::Delivery> queued_;
  uint64_t ended_ = 0;
};

}  // namespace bench
