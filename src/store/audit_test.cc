#include "store/audit.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>
#include <string>

#include "store/codec.h"
#include "store/commit_mark.h"
#include "store/upkeep_rig.h"

namespace store {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr base::Instant kAt = kRigStart;

rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

// A little of everything: ended in each way, waiting in memory and on disk, in line, with keys.
class AuditTest : public testing::Test {
 protected:
  AuditTest() {
    delivered_ = rig_.publish(kAt, {.unique_key = "order-1"});
    rig_.deliver(kAt, delivered_);
    const model::Delivery dropped = rig_.publish(kAt, {.endpoint = 2, .recorded = true});
    rig_.end(kAt, dropped, model::EndState::kDropped);
    const model::Delivery cancelled = rig_.publish(kAt, {.endpoint = 3});
    rig_.end(kAt, cancelled, model::EndState::kCancelled);
    retried_ = rig_.fail(kAt, rig_.publish(kAt, {.endpoint = 4, .unique_key = "order-2"}));
    first_ = rig_.publish(kAt, {.endpoint = 5, .object = 9});
    second_ = rig_.publish(kAt, {.endpoint = 5, .object = 9});
    third_ = rig_.publish(kAt, {.endpoint = 5, .object = 9});
    rig_.raise_low_water(kAt, first_.id.sequence());
    in_memory_ = rig_.publish(kAt, {.endpoint = 6});
    Batch batch;
    batch.documents.push_back({.table = model::Table::kSecrets,
                               .tenant = {1},
                               .key = "secret",
                               .value = "value",
                               .expected_revision = {}});
    rig_.commit(kAt, std::move(batch));
  }

  // What an audit of the closed directory says after `damage` was done to the database.
  AuditReport audit_after(const std::function<void(const Database&)>& damage) {
    std::unique_ptr<Database> database = rig_.open_raw();
    damage(*database);
    database.reset();
    auto report = audit_directory(rig_.directory());
    CHECK(report.has_value());
    return *std::move(report);
  }

  AuditReport erase(Family family, const std::string& key) {
    return audit_after([&](const Database& database) {
      ASSERT_TRUE(database.get(family, key)->has_value());
      ASSERT_TRUE(database.db().Delete({}, database.family(family), slice(key)).ok());
    });
  }

  AuditReport put(Family family, const std::string& key, const std::string& value) {
    return audit_after([&](const Database& database) {
      ASSERT_TRUE(database.db().Put({}, database.family(family), slice(key), slice(value)).ok());
    });
  }

  UpkeepRig rig_;
  model::Delivery delivered_;
  model::Delivery retried_;
  model::Delivery first_;
  model::Delivery second_;
  model::Delivery third_;
  model::Delivery in_memory_;
};

TEST_F(AuditTest, CountsWhatTheTotalsState) {
  const AuditReport report = rig_.audit();
  EXPECT_TRUE(report.ok()) << all_problems(report);
  const AuditCounts expected{
      .events = 8, .deliveries = 8, .delivered = 1, .dropped = 1, .cancelled = 1, .unfinished = 5};
  EXPECT_EQ(report.counted, expected);
  EXPECT_EQ(report.stated, expected);
  EXPECT_GT(report.records, 8U + 4U);
}

TEST_F(AuditTest, SaysTheSameOfAClosedDirectory) {
  const AuditReport open = rig_.audit();
  rig_.close();
  const auto closed = audit_directory(rig_.directory());
  ASSERT_TRUE(closed.has_value());
  EXPECT_TRUE(closed->ok()) << all_problems(*closed);
  EXPECT_EQ(closed->counted, open.counted);
  EXPECT_EQ(closed->records, open.records);
  EXPECT_EQ(closed->commit, open.commit);
}

TEST_F(AuditTest, LeavesNoTraceInTheDirectory) {
  rig_.close();
  const auto files = [&] {
    std::map<std::string, std::filesystem::file_time_type> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(rig_.directory())) {
      found[entry.path()] = entry.last_write_time();
    }
    return found;
  };
  const auto before = files();
  ASSERT_TRUE(audit_directory(rig_.directory()).has_value());
  EXPECT_EQ(files(), before);
}

TEST_F(AuditTest, GoesOnWhileTheStoreIsWritten) {
  auto report = std::make_shared<std::promise<base::Result<AuditReport>>>();
  rig_.engine().audit(
      [report](const base::Result<AuditReport>& found) { report->set_value(found); });
  for (int index = 0; index < 50; ++index) {
    rig_.deliver(kAt, rig_.publish(kAt, {}));
  }
  const auto found = report->get_future().get();
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->ok()) << all_problems(*found);
  EXPECT_TRUE(rig_.audit().ok());
}

TEST_F(AuditTest, MissesAnEvent) {
  const AuditReport report = erase(Family::kEvents, sequence_key(in_memory_.id.sequence()));
  EXPECT_THAT(report.problems, Contains("events: counted 7, but the totals row states 8"));
  EXPECT_THAT(report.problems, Contains("unfinished: counted 4, but the totals row states 5"));
}

TEST_F(AuditTest, MissesAnOutcome) {
  const AuditReport report = erase(Family::kOutcomes, outcome_key(delivered_.id, 1));
  EXPECT_THAT(report.problems, Contains("delivered: counted 0, but the totals row states 1"));
}

TEST_F(AuditTest, NoticesAnOutcomeOfNothing) {
  const std::string key = outcome_key(base::DeliveryId::make(77, 0), 1);
  const AuditReport report = put(Family::kOutcomes, key, encode_outcome(key, {}));
  EXPECT_THAT(report.problems, Contains(HasSubstr("there is no delivery 77.0")));
}

TEST_F(AuditTest, NoticesADeliveryThatWentOnAfterItsEnd) {
  const std::string key = outcome_key(delivered_.id, 2);
  const AuditReport report = put(Family::kOutcomes, key, encode_outcome(key, {}));
  EXPECT_THAT(report.problems, Contains("delivery 1.0 went on after it had ended"));
}

TEST_F(AuditTest, MissesTheExpiryRecordOfAnAttemptedDelivery) {
  const AuditReport report = erase(Family::kExpiry, expiry_key(retried_));
  EXPECT_THAT(report.problems,
              Contains("delivery 4.0 waits, but has no record in the expiry order"));
}

TEST_F(AuditTest, MissesTheRecordOfADeliveryBelowTheLowWaterMark) {
  rig_.raise_low_water(kAt, in_memory_.id.sequence() + 1);
  const AuditReport report = rig_.audit();
  EXPECT_THAT(report.problems,
              Contains("delivery 8.0 waits, but has no record in the expiry order"));
}

TEST_F(AuditTest, MissesADueRecord) {
  const AuditReport report = erase(Family::kDue, due_key(retried_));
  EXPECT_THAT(report.problems, Contains("delivery 4.0 waits, but has no record in the due index"));
}

TEST_F(AuditTest, NoticesADueRecordAtTheWrongTime) {
  model::Delivery late = retried_;
  late.due = late.due + base::Duration::hours(1);
  const std::string key = due_key(late);
  const AuditReport report = put(Family::kDue, key, encode_delivery(key, late));
  EXPECT_THAT(report.problems,
              Contains("delivery 4.0 is not the same in the due index as in the expiry order"));
}

TEST_F(AuditTest, NoticesTheExpiryRecordOfADeliveryThatHasEnded) {
  const std::string key = expiry_key(delivered_);
  const AuditReport report = put(Family::kExpiry, key, encode_delivery(key, delivered_));
  EXPECT_THAT(report.problems,
              Contains("delivery 1.0 has ended or never was, but is in the expiry order"));
}

TEST_F(AuditTest, NoticesASecondInLineThatIsLetOut) {
  model::Delivery loose = second_;
  loose.blocked = false;
  const std::string key = expiry_key(loose);
  const AuditReport report = put(Family::kExpiry, key, encode_delivery(key, loose));
  EXPECT_THAT(report.problems,
              Contains("delivery 6.0 is not the first in its line, but not blocked"));
}

TEST_F(AuditTest, NoticesAFirstInLineThatNothingWouldRelease) {
  const AuditReport report =
      erase(Family::kLines, line_key(first_.subscription, first_.object, first_.id));
  EXPECT_THAT(report.problems,
              Contains("delivery 6.0 is blocked, but nothing is before it in its line"));
  EXPECT_THAT(report.problems,
              Contains("delivery 5.0 is ordered and unfinished, but not in its line"));
}

TEST_F(AuditTest, MissesAUniqueKey) {
  const AuditReport report = erase(Family::kUnique, unique_key({1}, "order-2"));
  EXPECT_THAT(report.problems, Contains(HasSubstr("is missing, though its event is there")));
}

TEST_F(AuditTest, NoticesAUniqueKeyOfAnotherEvent) {
  const std::string key = unique_key({1}, "order-2");
  const AuditReport report = put(Family::kUnique, key, encode_unique(key, {.sequence = 1}));
  EXPECT_THAT(report.problems, Contains(HasSubstr("stands for another event")));
}

TEST_F(AuditTest, NoticesADamagedRecordOfAnyTable) {
  const std::vector<std::pair<Family, std::string>> records = {
      {Family::kEvents, sequence_key(delivered_.id.sequence())},
      {Family::kOutcomes, outcome_key(delivered_.id, 1)},
      {Family::kDue, due_key(retried_)},
      {Family::kExpiry, expiry_key(retried_)},
      {Family::kLines, line_key(first_.subscription, first_.object, first_.id)},
      {Family::kUnique, unique_key({1}, "order-1")},
      {Family::kDocuments, document_key(model::Table::kSecrets, {1}, "secret")},
      {Family::kMeta, minute_key(kAt.ms() / 60'000)}};
  for (const auto& record : records) {
    const auto flip = [&record](const Database& database) {
      const auto& [family, key] = record;
      std::string value = **database.get(family, key);
      value[value.size() / 2] = static_cast<char>(value[value.size() / 2] ^ 1);
      ASSERT_TRUE(database.db().Put({}, database.family(family), key, value).ok());
    };
    EXPECT_THAT(audit_after(flip).problems,
                Contains(HasSubstr("the checksum of a record is wrong")))
        << kFamilyNames[static_cast<size_t>(record.first)];
    audit_after(flip);  // and back
  }
  EXPECT_TRUE(audit_directory(rig_.directory())->ok());
}

TEST_F(AuditTest, ListsAFewProblemsAndCountsTheOthers) {
  for (int index = 0; index < 30; ++index) {
    rig_.fail(kAt, rig_.publish(kAt, {}));
  }
  const AuditReport report = audit_after([](const Database& database) {
    ASSERT_TRUE(database.db()
                    .DeleteRange({}, database.family(Family::kDue), slice("\x00"), slice("\xff"))
                    .ok());
  });
  EXPECT_EQ(report.problems.size(), AuditReport::kProblemsMax);
  EXPECT_GT(report.problems_more, 0U);
}

TEST_F(AuditTest, RefusesADirectoryThatAProcessHasOpen) {
  rig_.close();
  std::array<int, 2> ready{};
  std::array<int, 2> leave{};
  ASSERT_EQ(::pipe(ready.data()) | ::pipe(leave.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const int lock = ::open((database_path(rig_.directory()) + "/LOCK").c_str(), O_RDWR);
    struct flock whole{};
    whole.l_type = F_WRLCK;
    const bool is_held = ::fcntl(lock, F_SETLK, &whole) == 0;
    char byte = is_held ? 'y' : 'n';
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(leave[0], &byte, 1);
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const auto report = audit_directory(rig_.directory());
  EXPECT_EQ(::write(leave[1], &byte, 1), 1);
  EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, base::ErrorCode::kUnavailable);
  EXPECT_THAT(report.error().detail, HasSubstr("is in use by process " + std::to_string(child)));
}

TEST_F(AuditTest, RefusesADirectoryWithoutADatabase) {
  const auto report = audit_directory(rig_.path("nothing"));
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code, base::ErrorCode::kNotFound);
}

TEST_F(AuditTest, NoticesThatTheDatabaseEndsBeforeItsMark) {
  rig_.close();
  auto mark = CommitMark::open(mark_path(rig_.directory()));
  ASSERT_TRUE(mark.has_value());
  ASSERT_TRUE(mark->write(mark->last() + 3).has_value());
  const auto report = audit_directory(rig_.directory());
  ASSERT_TRUE(report.has_value());
  EXPECT_THAT(report->problems, Contains(HasSubstr("3 commits are lost")));
}

}  // namespace
}  // namespace store
