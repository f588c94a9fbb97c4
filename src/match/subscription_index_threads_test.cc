// Several threads match while others change: run by the thread sanitizer, and checked for what a
// match may see.

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "match/subscription_index.h"

namespace match {
namespace {

constexpr uint64_t kTenants = 2;
constexpr uint64_t kSteady = 5;  // subscriptions of each tenant that nobody touches
constexpr int kChanges = 3000;

Subscription subscription(uint64_t tenant, uint64_t id, const std::string& type) {
  return {.tenant = {tenant},
          .id = {id},
          .endpoint = {id},
          .url = "https://receiver.example/" + std::to_string(id),
          .type_pattern = type};
}

// Whatever happens meanwhile, the steady ones are found, and the one that is replaced all the time
// is found under one of its two types.
void expect_steady(const SubscriptionIndex& index, uint64_t tenant) {
  std::vector<Match> matches;
  ASSERT_TRUE(index.match({.tenant = {tenant}, .type = "a.b"}, matches).has_value());
  ASSERT_GE(matches.size(), kSteady + 1);
  for (uint64_t id = 1; id <= kSteady + 1; ++id) {
    ASSERT_EQ(matches[id - 1].id.value, id);
  }
  ASSERT_EQ(index.url_of({tenant}, {1}), "https://receiver.example/1");
}

void change(SubscriptionIndex& index, uint64_t tenant) {
  for (int round = 0; round < kChanges; ++round) {
    const uint64_t passing = 100 + static_cast<uint64_t>(round % 50);
    const std::string type = round % 2 == 0 ? "a.*" : "a.b";
    EXPECT_TRUE(index.replace(subscription(tenant, kSteady + 1, type)));
    EXPECT_TRUE(index.add(subscription(tenant, passing, "a.**")));
    EXPECT_TRUE(index.remove({tenant}, {passing}));
  }
}

TEST(SubscriptionIndexThreads, AMatchSeesEachSubscriptionBeforeOrAfterAChange) {
  SubscriptionIndex index;
  for (uint64_t tenant = 1; tenant <= kTenants; ++tenant) {
    for (uint64_t id = 1; id <= kSteady + 1; ++id) {
      ASSERT_TRUE(index.add(subscription(tenant, id, "a.b")));
    }
  }
  std::atomic<bool> stops = false;
  const auto read = [&index, &stops](uint64_t tenant) {
    while (!stops.load()) {
      expect_steady(index, tenant);
    }
  };
  std::jthread first_reader(read, 1);
  std::jthread second_reader(read, 2);
  std::jthread first_writer([&index] { change(index, 1); });
  std::jthread second_writer([&index] { change(index, 2); });
  first_writer.join();
  second_writer.join();
  stops = true;
  first_reader.join();
  second_reader.join();
  EXPECT_EQ(index.size({1}), kSteady + 1);
}

}  // namespace
}  // namespace match
