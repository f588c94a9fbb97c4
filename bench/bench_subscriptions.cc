// What it costs to find the subscriptions that want an event: in one tenant with 1000, in one with
// 100 000, and with a million over 100 000 tenants. Each has a URL of 80 bytes and a filter of its
// own, and three want each event. The payload is random JSON of about 1 KiB, parsed anew for each
// event: the parse is a part of matching.
//
// The limit of the large cases is the small case of the same run. CPU time of this thread, not wall
// time, in rounds that take turns, so that a busy machine blurs all alike; the median counts.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/prng.h"
#include "bench/measures.h"
#include "match/subscription_index.h"

namespace {

constexpr uint64_t kWanting = 3;      // subscriptions with the same filter
constexpr uint64_t kPayloads = 4096;  // made beforehand, used in turns
constexpr uint64_t kEventsPerRound = 50'000;
constexpr int kRounds = 7;
constexpr size_t kUrlBytes = 80;

struct World {
  std::string name;
  uint64_t tenants = 1;
  uint64_t per_tenant = 0;
};

struct Figures {
  double parse_ns = 0;
  double match_ns = 0;
  double mib = 0;      // anonymous memory that the index brought about
  double load_us = 0;  // to parse the filter of one subscription and to add it

  double total_ns() const { return parse_ns + match_ns; }
};

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

std::string random_word(base::Prng& prng, size_t length) {
  std::string word;
  for (size_t letter = 0; letter < length; ++letter) {
    word += static_cast<char>('a' + prng.below(26));
  }
  return word;
}

std::string random_url(base::Prng& prng) {
  std::string url = "https://hooks." + random_word(prng, 12) + ".example/postrider/";
  return url + random_word(prng, kUrlBytes - url.size());
}

match::Subscription make_subscription(base::Prng& prng, match::JsonParser& parser, uint64_t tenant,
                                      uint64_t number) {
  auto filter = match::parse_filter(
      parser,
      fmt::format(R"({{"filters":[{{"fieldName":"customerID","fieldValue":"{:032x}"}},)"
                  R"({{"fieldName":"percentComplete","fieldValue":"100","comparison":"lte"}}]}})",
                  number / kWanting));
  CHECK(filter.has_value());
  return {.tenant = {tenant + 1},
          .id = {number + 1},
          .endpoint = base::EndpointId::make(0, number + 1),
          .url = random_url(prng),
          .type_pattern = "UPDATE",
          .object_code = "PROJ",
          .filter = std::move(*filter)};
}

std::string random_fields(base::Prng& prng, uint64_t customer) {
  std::string fields = fmt::format(R"("ID":"{:032x}","objCode":"PROJ",)", prng.next());
  for (int field = 0; field < 8; ++field) {
    fields += fmt::format(R"("{}":"{}",)", random_word(prng, 10), random_word(prng, 16));
    fields += fmt::format(R"("{}":{},)", random_word(prng, 8), prng.below(100'000));
  }
  return fields +
         fmt::format(R"("percentComplete":{},"customerID":"{:032x}")", prng.below(100), customer);
}

class Case {
 public:
  explicit Case(World world) : world_(std::move(world)) {
    base::Prng prng(1);
    const double before = bench::anonymous_mib();
    const double begin = cpu_ns();
    for (uint64_t tenant = 0; tenant < world_.tenants; ++tenant) {
      for (uint64_t number = 0; number < world_.per_tenant; ++number) {
        CHECK(index_->add(make_subscription(prng, parser_, tenant, number)));
      }
    }
    figures_.load_us =
        (cpu_ns() - begin) / 1000 / static_cast<double>(world_.tenants * world_.per_tenant);
    figures_.mib = bench::anonymous_mib() - before;
    for (uint64_t payload = 0; payload < kPayloads; ++payload) {
      const uint64_t customer = prng.below(world_.per_tenant / kWanting);
      payloads_.push_back(
          fmt::format(R"({{"eventType":"UPDATE","newState":{{{}}},"oldState":{{{}}}}})",
                      random_fields(prng, customer), random_fields(prng, customer)));
    }
  }

  void run_round() {
    base::Prng prng(round_ns_.size() + 1);
    const double begin = cpu_ns();
    for (uint64_t event = 0; event < kEventsPerRound; ++event) {
      CHECK(parser_.parse(payloads_[prng.below(kPayloads)]).has_value());
    }
    const double middle = cpu_ns();
    for (uint64_t event = 0; event < kEventsPerRound; ++event) {
      match_one(prng);
    }
    parse_ns_.push_back((middle - begin) / kEventsPerRound);
    round_ns_.push_back((cpu_ns() - middle) / kEventsPerRound);
  }

  Figures figures() {
    std::ranges::sort(parse_ns_);
    std::ranges::sort(round_ns_);
    figures_.parse_ns = parse_ns_[parse_ns_.size() / 2];
    figures_.match_ns = round_ns_[round_ns_.size() / 2] - figures_.parse_ns;
    return figures_;
  }

  const World& world() const { return world_; }
  size_t payload_bytes() const { return payloads_[0].size(); }

 private:
  void match_one(base::Prng& prng) {
    const base::TenantId tenant{1 + prng.below(world_.tenants)};
    index_->prefetch(tenant);  // as whoever publishes does
    const auto root = parser_.parse(payloads_[prng.below(kPayloads)]);
    CHECK(root.has_value());
    matches_.clear();
    const auto count = index_->match({.tenant = tenant,
                                      .type = "UPDATE",
                                      .object_code = "PROJ",
                                      .object_id = "52cc8f6a0000a1b2",
                                      .states = match::States::of(*root)},
                                     matches_);
    CHECK(count.has_value() && *count == kWanting);
  }

  World world_;
  std::unique_ptr<match::SubscriptionIndex> index_ = std::make_unique<match::SubscriptionIndex>();
  match::JsonParser parser_;
  std::vector<std::string> payloads_;
  std::vector<match::Match> matches_;
  std::vector<double> parse_ns_;
  std::vector<double> round_ns_;
  Figures figures_;
};

using Cases = std::array<std::unique_ptr<Case>, 3>;

void print_table(const Cases& cases) {
  const Figures small = cases[0]->figures();
  fmt::print("payload {} bytes, {} subscriptions want each event\n", cases[0]->payload_bytes(),
             kWanting);
  fmt::print("{:<34} {:>9} {:>9} {:>9} {:>7} {:>9} {:>9}\n", "subscriptions", "parse ns", "find ns",
             "both ns", "ratio", "MiB", "us to add");
  for (const auto& one : cases) {
    const Figures figures = one->figures();
    fmt::print("{:<34} {:>9.0f} {:>9.0f} {:>9.0f} {:>7.2f} {:>9.0f} {:>9.1f}\n", one->world().name,
               figures.parse_ns, figures.match_ns, figures.total_ns(),
               figures.total_ns() / small.total_ns(), figures.mib, figures.load_us);
  }
  fmt::print("goal: ratio <= 1.5; memory of the million <= 1536 MiB\n");
}

void print_json(const Cases& cases) {
  const Figures small = cases[0]->figures();
  const Figures tenant = cases[1]->figures();
  const Figures million = cases[2]->figures();
  fmt::print(
      "{{\"bench\":\"subscriptions\",\"match_ns_1k\":{:.0f},\"match_ns_100k\":{:.0f},"
      "\"match_ns_1m\":{:.0f},\"ratio_100k\":{:.3f},\"ratio_1m\":{:.3f},\"ratio_limit\":1.5,"
      "\"mib_1m\":{:.0f},\"mib_limit\":1536}}\n",
      small.total_ns(), tenant.total_ns(), million.total_ns(), tenant.total_ns() / small.total_ns(),
      million.total_ns() / small.total_ns(), million.mib);
}

}  // namespace

int main(int argc, char** argv) {
  const bool wants_json = argc > 1 && std::string_view(argv[1]) == "--json";
  // The largest first, so that its memory is not measured in what another left behind.
  auto million = std::make_unique<Case>(
      World{.name = "1 000 000 in 100 000 tenants", .tenants = 100'000, .per_tenant = 10});
  Cases cases = {
      std::make_unique<Case>(World{.name = "1000 in one tenant", .per_tenant = 1000}),
      std::make_unique<Case>(World{.name = "100 000 in one tenant", .per_tenant = 100'000}),
      std::move(million)};
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& one : cases) {
      one->run_round();
    }
  }
  if (wants_json) {
    print_json(cases);
  } else {
    print_table(cases);
  }
  return 0;
}
