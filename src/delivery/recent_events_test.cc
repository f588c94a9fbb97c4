#include "delivery/recent_events.h"

#include <gtest/gtest.h>

#include <map>

namespace delivery {
namespace {

std::shared_ptr<const model::Event> event_of(size_t bytes) {
  auto event = std::make_shared<model::Event>();
  event->payload = std::string(bytes, 'x');
  return event;
}

TEST(RecentEventsTest, FindsWhatWasAddedAndNothingElse) {
  RecentEvents recent(1 << 20U);
  const auto third = event_of(10);
  recent.add(1, event_of(10));
  recent.add(3, third);
  EXPECT_EQ(recent.find(3), third);
  EXPECT_EQ(recent.find(2), nullptr);
  EXPECT_EQ(recent.find(4), nullptr);
}

TEST(RecentEventsTest, FindsEachWhicheverSequencesAreMissing) {
  RecentEvents recent(1 << 20U);
  std::map<base::Sequence, std::shared_ptr<const model::Event>> added;
  for (const base::Sequence sequence : {5U, 6U, 7U, 20U, 21U, 90U, 91U, 92U, 93U, 500U}) {
    added[sequence] = event_of(10);
    recent.add(sequence, added[sequence]);
  }
  for (base::Sequence sequence = 0; sequence <= 501; ++sequence) {
    EXPECT_EQ(recent.find(sequence), added.contains(sequence) ? added[sequence] : nullptr)
        << sequence;
  }
}

TEST(RecentEventsTest, FindsNothingWhereNothingIs) {
  EXPECT_EQ(RecentEvents(1000).find(1), nullptr);
}

TEST(RecentEventsTest, TheOldestGoWhenThereIsNoRoom) {
  RecentEvents recent(10'000);
  for (base::Sequence sequence = 1; sequence <= 100; ++sequence) {
    recent.add(sequence, event_of(1000));
    EXPECT_LE(recent.bytes(), 10'000U);
  }
  EXPECT_EQ(recent.find(1), nullptr);
  EXPECT_NE(recent.find(100), nullptr);
}

TEST(RecentEventsTest, OneThatIsLargerThanAllRoomIsNotKept) {
  RecentEvents recent(100);
  recent.add(1, event_of(1000));
  EXPECT_EQ(recent.find(1), nullptr);
  EXPECT_EQ(recent.bytes(), 0U);
}

}  // namespace
}  // namespace delivery
