// How long a start takes with a million subscriptions of 100 000 tenants, and how much memory they
// hold: documents of a real store, read into the registry and its index. Each has a URL of 80
// bytes, a filter and a signing secret of its own.
//
// The limit is on the time of the processors, so that a busy machine does not blur it.
//
// Usage: bench_registry [DIRECTORY [SUBSCRIPTIONS]]; the directory must be on a disk.

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "bench/measures.h"
#include "net/loop.h"
#include "registry/registry.h"
#include "store/engine.h"
#include "store/rocks_store.h"
#include "text/id_text.h"

namespace {

constexpr uint64_t kPerTenant = 10;
constexpr uint64_t kBatch = 5000;
constexpr double kSecondsMax = 20;
constexpr double kMibMax = 1536;
constexpr base::Duration kPatience = base::Duration::hours(1);

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// One process: the store, the index and the registry over them.
class World {
 public:
  explicit World(const std::string& directory)
      : engine_(open(directory)),
        loop_(engine_->last_committed()),
        store_(*engine_, loop_),
        guard_({}),
        registry_({},
                  {.scheduler = loop_,
                   .store = store_,
                   .index = index_,
                   .guard = guard_,
                   .roots = net::TlsRoots::system().value(),
                   .envelope = secrets::Envelope(registry::find_master_keys(directory, "").value()),
                   .callbacks = {.settings = [](const auto&) {},
                                 .removed = [](base::SubscriptionId) {},
                                 .erase_tenant = [](auto, const auto&) {}}}) {}

  void load() {
    bool is_loaded = false;
    registry_.load([&](const base::Result<void>& result) {
      CHECK(result.has_value());
      is_loaded = true;
    });
    CHECK(loop_.run_until([&] { return is_loaded; }, kPatience));
  }

  std::vector<base::TenantId> make_tenants(uint64_t count) {
    std::vector<base::TenantId> made;
    for (uint64_t asked = 0; asked < count; ++asked) {
      registry_.tenants().create(fmt::format("tenant {}", asked), [&](const auto& tenant) {
        CHECK(tenant.has_value());
        made.push_back(tenant->id);
      });
      if (asked % kBatch == kBatch - 1 || asked == count - 1) {
        CHECK(loop_.run_until([&] { return made.size() == asked + 1; }, kPatience));
      }
    }
    return made;
  }

  void commit(std::vector<model::DocumentChange> documents) {
    store::Batch batch;
    batch.documents = std::move(documents);
    bool is_stored = false;
    store_.commit(loop_.now(), std::move(batch), [&](const store::BatchResult& result) {
      CHECK(result.documents == store::Status::kCommitted);
      is_stored = true;
    });
    CHECK(loop_.run_until([&] { return is_stored; }, kPatience));
  }

  size_t tenants() { return registry_.tenants().size(); }

 private:
  static std::unique_ptr<store::Engine> open(const std::string& directory) {
    auto engine = store::Engine::open({.directory = directory});
    CHECK(engine.has_value());
    return *std::move(engine);
  }

  std::unique_ptr<store::Engine> engine_;
  net::Loop loop_;
  store::RocksStore store_;
  match::SubscriptionIndex index_;
  net::AddressGuard guard_;
  registry::Registry registry_;
};

model::DocumentChange make_document(base::TenantId tenant, uint64_t number) {
  registry::Subscription subscription;
  subscription.tenant = tenant;
  subscription.id = {number + 1};
  subscription.url = fmt::format("https://hooks.{:016x}.example/postrider/{:032x}", number, number);
  subscription.endpoint = registry::Endpoints::first_id(tenant, subscription.url);
  subscription.type = "UPDATE";
  subscription.object_code = "PROJ";
  subscription.filters =
      fmt::format(R"([{{"fieldName":"customerID","fieldValue":"{:032x}"}},)"
                  R"({{"fieldName":"percentComplete","fieldValue":"100","comparison":"lte"}}])",
                  number);
  subscription.signing.secrets = {
      {.sealed = std::string(100, 's'), .hint = "whsec_…wxyz", .expires_at = {}}};
  return {.table = model::Table::kSubscriptions,
          .tenant = tenant,
          .key = text::id_text(subscription.id),
          .value = registry::encode_subscription(subscription),
          .expected_revision = 0};
}

void fill(const std::string& directory, uint64_t subscriptions) {
  World world(directory);
  world.load();
  const auto tenants = world.make_tenants(subscriptions / kPerTenant);
  std::vector<model::DocumentChange> batch;
  for (uint64_t number = 0; number < subscriptions; ++number) {
    batch.push_back(make_document(tenants[number / kPerTenant], number));
    if (batch.size() == kBatch || number == subscriptions - 1) {
      world.commit(std::exchange(batch, {}));
    }
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string root = count > 1 ? words[1] : "bench-registry-data";
  const uint64_t subscriptions = count > 2 ? std::stoull(words[2]) : 1'000'000;
  std::filesystem::remove_all(root);
  // In a process of its own, so that nothing of it is left in the memory that is measured.
  const pid_t filler = ::fork();
  if (filler == 0) {
    fill(root, subscriptions);
    ::_exit(0);
  }
  int status = 0;
  CHECK_EQ(::waitpid(filler, &status, 0), filler);
  CHECK_EQ(status, 0);
  const double before = bench::anonymous_mib();
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  auto world = std::make_unique<World>(root);
  world->load();
  const double seconds = seconds_since(start);
  const double cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  const double mib = bench::anonymous_mib() - before;
  fmt::print("{:>16} {:>10} {:>10} {:>12} {:>10} {:>10} {:>10}\n", "subscriptions", "tenants",
             "start s", "CPU s", "limit s", "MiB", "limit MiB");
  fmt::print("{:>16} {:>10} {:>10.1f} {:>12.1f} {:>10.0f} {:>10.0f} {:>10.0f}\n", subscriptions,
             world->tenants(), seconds, cpu, kSecondsMax, mib, kMibMax);
  world.reset();
  std::filesystem::remove_all(root);
  return cpu <= kSecondsMax && mib <= kMibMax ? 0 : 1;
}
