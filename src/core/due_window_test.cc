#include "core/due_window.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/prng.h"

namespace core {
namespace {

using base::Instant;
using model::Delivery;
using model::DueKey;
using model::DuePage;

constexpr uint32_t kRoomy = 32;
constexpr auto kNobodyIsBusy = [](const Delivery&) { return false; };

Delivery due_at(int64_t due, uint64_t id = 1) {
  Delivery delivery;
  delivery.id = {id};
  delivery.due = Instant::from_ms(due);
  return delivery;
}

LoadId load(uint64_t number) { return static_cast<LoadId>(number); }

// A window of which nothing is known, loading.
DueWindow loading_window() {
  DueWindow window;
  window.reset_unknown({});
  window.begin_load(load(1));
  return window;
}

std::vector<int64_t> taken_from(DueWindow& window) {
  std::vector<int64_t> due;
  while (window.head() != nullptr) {
    due.push_back(window.take_head().due.ms());
  }
  return due;
}

TEST(DueWindowTest, ANewOneIsKnownToBeEmpty) {
  DueWindow window;
  window.reset_empty();
  EXPECT_TRUE(window.is_empty());
  EXPECT_EQ(window.next_due(), Instant::never());
  EXPECT_FALSE(window.wants_load(Instant::from_ms(1), kRoomy));
}

TEST(DueWindowTest, GivesTheEarliestFirstAndTiesByDelivery) {
  DueWindow window;
  window.reset_empty();
  window.add(due_at(20, 1), kRoomy);
  window.add(due_at(10, 3), kRoomy);
  window.add(due_at(10, 2), kRoomy);
  EXPECT_EQ(window.take_head().id.value, 2U);
  EXPECT_EQ(window.take_head().id.value, 3U);
  EXPECT_EQ(window.take_head().id.value, 1U);
  EXPECT_TRUE(window.is_empty());
}

TEST(DueWindowTest, ARecordBeyondTheEndStaysOnDisk) {
  DueWindow window;
  window.reset_unknown({.due = Instant::from_ms(10), .delivery = {}});
  window.add(due_at(10), kRoomy);
  EXPECT_EQ(window.head(), nullptr);
  EXPECT_EQ(window.next_due(), Instant::from_ms(10));
}

TEST(DueWindowTest, ARecordBeforeTheEndIsKept) {
  DueWindow window;
  window.reset_unknown({.due = Instant::from_ms(10), .delivery = {}});
  window.add(due_at(9), kRoomy);
  ASSERT_NE(window.head(), nullptr);
  EXPECT_EQ(window.next_due(), Instant::from_ms(9));
}

TEST(DueWindowTest, BeyondItsCapacityTheLatestGoesBackToDisk) {
  DueWindow window;
  window.reset_empty();
  for (int64_t due = 1; due <= 3; ++due) {
    window.add(due_at(due, static_cast<uint64_t>(due)), 2);
  }
  EXPECT_EQ(window.size(), 2U);
  EXPECT_FALSE(window.complete());
  EXPECT_EQ(taken_from(window), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(window.next_due(), Instant::from_ms(3));
}

TEST(DueWindowTest, AsksForAPageOnlyWhenSomethingThereMayBeDue) {
  DueWindow window;
  window.reset_unknown({.due = Instant::from_ms(10), .delivery = {}});
  EXPECT_FALSE(window.wants_load(Instant::from_ms(9), kRoomy));
  EXPECT_TRUE(window.wants_load(Instant::from_ms(10), kRoomy));
  EXPECT_FALSE(window.wants_load(Instant::from_ms(10), 0));
}

TEST(DueWindowTest, AsksForOnePageAtATime) {
  DueWindow window = loading_window();
  EXPECT_TRUE(window.is_loading());
  EXPECT_FALSE(window.wants_load(Instant::from_ms(1), kRoomy));
}

TEST(DueWindowTest, AsksAgainWhenAQuarterIsLeft) {
  DueWindow window;
  window.reset_unknown({.due = Instant::from_ms(10), .delivery = {}});
  window.add(due_at(1, 1), 8);
  window.add(due_at(2, 2), 8);
  EXPECT_TRUE(window.wants_load(Instant::from_ms(10), 8));
  window.add(due_at(3, 3), 8);
  EXPECT_FALSE(window.wants_load(Instant::from_ms(10), 8));
}

TEST(DueWindowTest, ACompletePageMakesItComplete) {
  DueWindow window = loading_window();
  window.loaded({.deliveries = {due_at(1), due_at(2, 2)}, .complete = true}, kNobodyIsBusy, kRoomy);
  EXPECT_TRUE(window.complete());
  EXPECT_EQ(taken_from(window), (std::vector<int64_t>{1, 2}));
  EXPECT_TRUE(window.is_empty());
}

TEST(DueWindowTest, TheNextPageBeginsAfterTheLastRecord) {
  DueWindow window = loading_window();
  window.loaded({.deliveries = {due_at(1), due_at(2, 2)}, .complete = false}, kNobodyIsBusy,
                kRoomy);
  EXPECT_EQ(window.begin_load(load(2)), (DueKey{.due = Instant::from_ms(2), .delivery = {3}}));
}

TEST(DueWindowTest, WhatIsInFlightIsNotLoadedAgain) {
  DueWindow window = loading_window();
  const auto second_is_busy = [](const Delivery& delivery) { return delivery.id.value == 2; };
  window.loaded({.deliveries = {due_at(1), due_at(2, 2)}, .complete = true}, second_is_busy,
                kRoomy);
  EXPECT_EQ(taken_from(window), (std::vector<int64_t>{1}));
}

TEST(DueWindowTest, ARecordThatCameDuringTheLoadIsReadNextTime) {
  DueWindow window = loading_window();
  window.add(due_at(2, 9), kRoomy);
  window.loaded({.deliveries = {due_at(1), due_at(3, 3)}, .complete = true}, kNobodyIsBusy, kRoomy);
  EXPECT_EQ(taken_from(window), (std::vector<int64_t>{1}));
  EXPECT_FALSE(window.complete());
  EXPECT_EQ(window.begin_load(load(2)), due_at(2, 9).key());
}

TEST(DueWindowTest, ARecordThatCameBeyondThePageDoesNotShortenIt) {
  DueWindow window = loading_window();
  window.add(due_at(5, 9), kRoomy);
  window.loaded({.deliveries = {due_at(1), due_at(3, 3)}, .complete = false}, kNobodyIsBusy,
                kRoomy);
  EXPECT_EQ(taken_from(window), (std::vector<int64_t>{1, 3}));
}

TEST(DueWindowTest, APageThatMayShowAGoneRecordIsAskedForAgain) {
  DueWindow window = loading_window();
  window.gone(due_at(1).key());
  window.loaded({.deliveries = {due_at(1)}, .complete = true}, kNobodyIsBusy, kRoomy);
  EXPECT_EQ(window.head(), nullptr);
  EXPECT_TRUE(window.wants_load(Instant::from_ms(1), kRoomy));
}

TEST(DueWindowTest, ARecordThatWentBeforeTheLoadDoesNotMatter) {
  DueWindow window;
  window.reset_unknown({});
  window.gone(due_at(1).key());
  window.begin_load(load(1));
  window.loaded({.deliveries = {due_at(2, 2)}, .complete = true}, kNobodyIsBusy, kRoomy);
  EXPECT_EQ(taken_from(window), (std::vector<int64_t>{2}));
}

TEST(DueWindowTest, TrimmingDuringALoadForgetsTheLoad) {
  DueWindow window;
  window.reset_unknown({.due = Instant::from_ms(10), .delivery = {}});
  window.add(due_at(1), kRoomy);
  window.begin_load(load(1));
  window.trim(0);
  EXPECT_FALSE(window.is_loading());
  EXPECT_EQ(window.next_due(), Instant::from_ms(1));
}

TEST(DueWindowTest, ARemovedRecordIsGoneFromMemory) {
  DueWindow window;
  window.reset_empty();
  window.add(due_at(1, 1), kRoomy);
  window.add(due_at(2, 2), kRoomy);
  window.remove(due_at(1, 1).key());
  EXPECT_EQ(taken_from(window), (std::vector<int64_t>{2}));
}

// Plays the disk and those who change it, with pages that arrive late, and compares with a plain
// set.
class DueWindowModelTest : public ::testing::TestWithParam<uint64_t> {
 protected:
  using Disk = std::set<DueKey>;

  DueWindowModelTest() : prng_(GetParam()) { window_.reset_empty(); }

  void place() {
    const Delivery delivery = due_at(static_cast<int64_t>(prng_.below(40)), ++last_id_);
    disk_.insert(delivery.key());
    window_.add(delivery, kCapacity);
  }

  void take() {
    const Delivery* const head = window_.head();
    if (head == nullptr) {
      return;
    }
    EXPECT_EQ(head->key(), earliest_waiting());
    in_flight_.insert(window_.take_head().key());
  }

  void finish() {
    if (in_flight_.empty()) {
      return;
    }
    const DueKey key = *in_flight_.begin();
    in_flight_.erase(key);
    disk_.erase(key);
    window_.gone(key);
  }

  void give_back() {
    if (in_flight_.empty()) {
      return;
    }
    const DueKey key = *in_flight_.rbegin();
    in_flight_.erase(key);
    window_.add(due_at(key.due.ms(), key.delivery.value), kCapacity);
  }

  void remove_some() {
    Disk waiting = disk_;
    for (const DueKey key : in_flight_) {
      waiting.erase(key);
    }
    if (waiting.empty()) {
      return;
    }
    auto at = waiting.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(prng_.below(waiting.size())));
    disk_.erase(*at);
    window_.remove(*at);
    window_.gone(*at);
  }

  void ask() {
    if (!window_.wants_load(Instant::from_ms(1000), kCapacity)) {
      return;
    }
    const LoadId id = load(++last_load_);
    DuePage page{.deliveries = {}, .complete = true};
    for (auto at = disk_.lower_bound(window_.begin_load(id)); at != disk_.end(); ++at) {
      if (page.deliveries.size() == kCapacity) {
        page.complete = false;
        break;
      }
      page.deliveries.push_back(due_at(at->due.ms(), at->delivery.value));
    }
    pages_[id] = page;
  }

  void answer() {
    if (pages_.empty()) {
      return;
    }
    const auto [id, page] = *pages_.begin();
    pages_.erase(id);
    if (window_.load() == id) {
      window_.loaded(
          page, [&](const Delivery& delivery) { return in_flight_.contains(delivery.key()); },
          kCapacity);
    }
  }

  void act() {
    switch (prng_.below(9)) {
      case 0:
      case 1:
        return place();
      case 2:
        return take();
      case 3:
        return finish();
      case 4:
        return give_back();
      case 5:
        return remove_some();
      case 6:
        return ask();
      case 7:
        return answer();
      default:
        if (prng_.chance(10)) {
          window_.trim(static_cast<uint32_t>(prng_.below(kCapacity)));
        }
    }
  }

  std::optional<DueKey> earliest_waiting() const {
    for (const DueKey key : disk_) {
      if (!in_flight_.contains(key)) {
        return key;
      }
    }
    return std::nullopt;
  }

  static constexpr uint32_t kCapacity = 5;
  base::Prng prng_;
  DueWindow window_;
  Disk disk_;
  Disk in_flight_;
  std::map<LoadId, DuePage> pages_;
  uint64_t last_id_ = 0;
  uint64_t last_load_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Seeds, DueWindowModelTest, ::testing::Range<uint64_t>(1, 41));

TEST_P(DueWindowModelTest, TheHeadIsAlwaysTheEarliestAndNothingIsForgotten) {
  for (int i = 0; i < 2000; ++i) {
    act();
    ASSERT_LE(window_.size(), kCapacity);
    const auto earliest = earliest_waiting();
    if (earliest) {
      ASSERT_FALSE(window_.is_empty());
      ASSERT_LE(window_.next_due(), earliest->due);
    }
  }
  // Left alone, it hands out everything, in order.
  for (size_t left = disk_.size() * 4 + 8; left > 0; --left) {
    answer();
    ask();
    take();
  }
  EXPECT_EQ(in_flight_, disk_);
}

}  // namespace
}  // namespace core
