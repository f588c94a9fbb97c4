// Documents: bytes under a key with a revision; a list of changes is one atomic piece.

#include <gtest/gtest.h>

#include <string>

#include "tests/conformance/describe.h"
#include "tests/conformance/store_suite.h"

namespace conformance {
namespace {

using model::Document;
using model::Table;
using store::Status;

class Documents : public StoreSuite {
 protected:
  model::DocumentPage page(uint32_t limit, std::string after = {}) {
    return documents({.table = Table::kSubscriptions,
                      .tenant = kTenant,
                      .after = std::move(after),
                      .limit = limit});
  }

  static std::vector<std::string> keys_of(const model::DocumentPage& page) {
    std::vector<std::string> keys;
    for (const Document& document : page.documents) {
      keys.push_back(document.key);
    }
    return keys;
  }

  // "key=value@revision" for each.
  std::vector<std::string> all() {
    std::vector<std::string> texts;
    for (const Document& document : page(1'000).documents) {
      texts.push_back(document.key + "=" + document.value + "@" +
                      std::to_string(document.revision));
    }
    return texts;
  }

  using Texts = std::vector<std::string>;
};

HOLD_EVERY_STORE_TO(Documents);

TEST_P(Documents, AreCreatedWithRevisionOne) {
  EXPECT_EQ(change_documents({document("a", "x")}), Status::kCommitted);
  const model::DocumentPage found = page(9);
  ASSERT_EQ(found.documents.size(), 1U);
  EXPECT_TRUE(found.complete);
  EXPECT_EQ(found.documents[0].table, Table::kSubscriptions);
  EXPECT_EQ(found.documents[0].tenant, kTenant);
  EXPECT_EQ(found.documents[0].key, "a");
  EXPECT_EQ(found.documents[0].value, "x");
  EXPECT_EQ(found.documents[0].revision, 1U);
}

TEST_P(Documents, EachChangeRaisesTheRevisionByOne) {
  change_documents({document("a", "x")});
  change_documents({document("a", "y")});
  change_documents({document("a", "y")});
  EXPECT_EQ(all(), (Texts{"a=y@3"}));
}

TEST_P(Documents, TheExpectedRevisionMustBeThere) {
  EXPECT_EQ(change_documents({document("a", "x", 1)}), Status::kConflict);
  EXPECT_EQ(change_documents({document("a", "x", 0)}), Status::kCommitted);
  EXPECT_EQ(change_documents({document("a", "y", 0)}), Status::kConflict);
  EXPECT_EQ(change_documents({document("a", "y", 2)}), Status::kConflict);
  EXPECT_EQ(change_documents({document("a", "y", 1)}), Status::kCommitted);
  EXPECT_EQ(all(), (Texts{"a=y@2"}));
}

TEST_P(Documents, OneConflictRefusesTheWholeList) {
  change_documents({document("a", "x"), document("b", "x")});
  EXPECT_EQ(change_documents({document("a", "y", 1), document("c", "y"), document("b", "y", 7),
                              document("d", "y")}),
            Status::kConflict);
  EXPECT_EQ(all(), (Texts{"a=x@1", "b=x@1"}));
}

TEST_P(Documents, AConflictRefusesNothingElseOfTheBatch) {
  change_documents({document("a", "x")});
  const store::BatchResult result = commit({.publishes = {event_with(1, {{}})},
                                            .sections = {next_section()},
                                            .documents = {document("a", "y", 9)},
                                            .low_water = {}});
  EXPECT_EQ(result.documents, Status::kConflict);
  EXPECT_EQ(result.publishes.at(0).status, Status::kCommitted);
  EXPECT_EQ(result.sections.at(0).status, Status::kCommitted);
  EXPECT_EQ(due(9).deliveries.size(), 1U);
}

TEST_P(Documents, ABatchWithoutDocumentsSaysCommitted) {
  EXPECT_EQ(commit({.publishes = {}, .sections = {next_section()}, .low_water = {}}).documents,
            Status::kCommitted);
}

TEST_P(Documents, AreDeletedWithTheirRevision) {
  change_documents({document("a", "x"), document("b", "x")});
  EXPECT_EQ(change_documents({document("a", {}, 2)}), Status::kConflict);
  EXPECT_EQ(change_documents({document("a", {}, 1)}), Status::kCommitted);
  EXPECT_EQ(all(), (Texts{"b=x@1"}));
  EXPECT_EQ(change_documents({document("a", "z", 1)}), Status::kConflict);
  EXPECT_EQ(change_documents({document("a", "z", 0)}), Status::kCommitted);
  EXPECT_EQ(all(), (Texts{"a=z@1", "b=x@1"}));
}

TEST_P(Documents, DeletingWhatIsNotThereIsNoConflict) {
  EXPECT_EQ(change_documents({document("a", {})}), Status::kCommitted);
  EXPECT_EQ(change_documents({document("a", {}, 0)}), Status::kCommitted);
  EXPECT_EQ(change_documents({document("a", {}, 1)}), Status::kConflict);
  EXPECT_TRUE(all().empty());
}

TEST_P(Documents, ChangesOfOneListTakeEffectInOrder) {
  EXPECT_EQ(change_documents({document("a", "x", 0), document("a", "y", 1), document("b", "x"),
                              document("b", {}, 1), document("b", "z", 0)}),
            Status::kCommitted);
  EXPECT_EQ(all(), (Texts{"a=y@2", "b=z@1"}));
  EXPECT_EQ(change_documents({document("c", "x", 0), document("c", "y", 0)}), Status::kConflict);
  EXPECT_EQ(all(), (Texts{"a=y@2", "b=z@1"}));
}

TEST_P(Documents, ListsUnderWayTogetherTakeEffectInOrder) {
  const auto statuses = std::make_shared<std::vector<Status>>();
  for (const uint64_t expected : {0U, 1U, 1U, 2U}) {
    store::Batch batch;
    batch.documents = {document("a", "v" + std::to_string(statuses->size()), expected)};
    store().commit(kStart, batch, [statuses](const store::BatchResult& result) {
      statuses->push_back(result.documents);
    });
  }
  ASSERT_TRUE(harness().run_until([&] { return statuses->size() == 4; }));
  EXPECT_EQ(*statuses, (std::vector<Status>{Status::kCommitted, Status::kCommitted,
                                            Status::kConflict, Status::kCommitted}));
  EXPECT_EQ(page(9).documents.at(0).revision, 3U);
}

TEST_P(Documents, PagesAreInTheOrderOfKeysAndSayWhetherThereIsMore) {
  change_documents({document("c", "x"), document("a", "x"), document("b", "x")});
  EXPECT_EQ(keys_of(page(2)), (Texts{"a", "b"}));
  EXPECT_FALSE(page(2).complete);
  EXPECT_EQ(keys_of(page(3)), (Texts{"a", "b", "c"}));
  EXPECT_TRUE(page(3).complete);
}

TEST_P(Documents, APageBeginsAfterAKeyThatNeedNotExist) {
  change_documents({document("a", "x"), document("b", "x"), document("c", "x")});
  EXPECT_EQ(keys_of(page(9, "a")), (Texts{"b", "c"}));
  EXPECT_EQ(keys_of(page(9, "aa")), (Texts{"b", "c"}));
  EXPECT_EQ(keys_of(page(9, "c")), Texts());
  EXPECT_TRUE(page(9, "c").complete);
}

TEST_P(Documents, KeysAreAnyBytesAndInByteOrder) {
  const Texts keys = {std::string("a"),
                      std::string("a\0", 2),
                      std::string("a\0\0", 3),
                      "a ",
                      "aa",
                      "\x7f",
                      "\x80",
                      "\xff",
                      "\xff\xff"};
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    ASSERT_EQ(change_documents({document(*key, "x", 0)}), Status::kCommitted);
  }
  Texts seen;
  std::string last;
  for (bool is_complete = false; !is_complete;) {
    const model::DocumentPage next = page(2, last);
    ASSERT_FALSE(next.documents.empty());
    for (const Document& document : next.documents) {
      seen.push_back(document.key);
    }
    last = seen.back();
    is_complete = next.complete;
  }
  EXPECT_EQ(seen, keys);
}

TEST_P(Documents, ValuesAreAnyBytes) {
  const std::string bytes = std::string("\0\xff\n", 3) + std::string(100'000, 'x');
  change_documents({document("a", bytes), document("b", "")});
  EXPECT_EQ(page(9).documents.at(0).value, bytes);
  EXPECT_EQ(page(9).documents.at(1).value, "");
}

TEST_P(Documents, TenantsAreApart) {
  model::DocumentChange other = document("a", "theirs", 0);
  other.tenant = {2};
  model::DocumentChange shared = document("a", "everybody's", 0);
  shared.tenant = {0};
  EXPECT_EQ(change_documents({document("a", "ours", 0), other, shared}), Status::kCommitted);
  EXPECT_EQ(all(), (Texts{"a=ours@1"}));
  EXPECT_TRUE(page(1).complete);
  EXPECT_EQ(change_documents({document("a", {}, 1)}), Status::kCommitted);
  const model::DocumentPage theirs =
      documents({.table = Table::kSubscriptions, .tenant = {2}, .after = {}, .limit = 9});
  ASSERT_EQ(theirs.documents.size(), 1U);
  EXPECT_EQ(theirs.documents[0].value, "theirs");
}

TEST_P(Documents, OneQueryPagesThroughTheTableOfEveryTenant) {
  std::vector<model::DocumentChange> changes;
  for (const uint64_t tenant : {0x0100U, 7U, 0U, 2U}) {
    for (const char* key : {"b", "a"}) {
      changes.push_back(document(key, std::to_string(tenant), 0));
      changes.back().tenant = {tenant};
    }
  }
  changes.push_back(document("a", "another table", 0));
  changes.back().table = Table::kEndpointUrls;
  ASSERT_EQ(change_documents(changes), Status::kCommitted);
  for (const uint32_t limit : {1U, 3U, 8U, 9U}) {
    Texts seen;
    model::DocumentQuery query{.table = Table::kSubscriptions,
                               .tenant = {},
                               .after = {},
                               .limit = limit,
                               .every_tenant = true};
    for (bool is_complete = false; !is_complete;) {
      const model::DocumentPage next = documents(query);
      ASSERT_FALSE(next.documents.empty());
      ASSERT_LE(next.documents.size(), limit);
      for (const Document& document : next.documents) {
        EXPECT_EQ(document.table, Table::kSubscriptions);
        EXPECT_EQ(document.value, std::to_string(document.tenant.value));
        seen.push_back(document.value + document.key);
      }
      query.tenant = next.documents.back().tenant;
      query.after = next.documents.back().key;
      is_complete = next.complete;
    }
    EXPECT_EQ(seen, (Texts{"0a", "0b", "2a", "2b", "7a", "7b", "256a", "256b"})) << limit;
  }
}

TEST_P(Documents, AQueryForEveryTenantBeginsWhereItSays) {
  std::vector<model::DocumentChange> changes;
  for (const uint64_t tenant : {1U, 2U, 3U}) {
    changes.push_back(document("a", "x", 0));
    changes.back().tenant = {tenant};
  }
  ASSERT_EQ(change_documents(changes), Status::kCommitted);
  const model::DocumentPage page = documents({.table = Table::kSubscriptions,
                                              .tenant = {2},
                                              .after = {},
                                              .limit = 9,
                                              .every_tenant = true});
  ASSERT_EQ(page.documents.size(), 2U);
  EXPECT_EQ(page.documents[0].tenant.value, 2U);
  EXPECT_EQ(page.documents[1].tenant.value, 3U);
  EXPECT_TRUE(page.complete);
}

TEST_P(Documents, TablesAreApart) {
  for (const Table table : {Table::kTenants, Table::kSubscriptions, Table::kEndpointUrls,
                            Table::kApiKeys, Table::kSecrets, Table::kJobs, Table::kSettings}) {
    model::DocumentChange change = document("a", std::to_string(static_cast<int>(table)), 0);
    change.table = table;
    EXPECT_EQ(change_documents({change}), Status::kCommitted);
    const model::DocumentPage found =
        documents({.table = table, .tenant = kTenant, .after = {}, .limit = 9});
    ASSERT_EQ(found.documents.size(), 1U);
    EXPECT_EQ(found.documents[0].table, table);
    EXPECT_EQ(found.documents[0].value, *change.value);
  }
}

TEST_P(Documents, SurviveARestart) {
  change_documents({document("a", "x"), document("b", "x"), document("c", "x")});
  change_documents({document("a", "y"), document("b", {})});
  restart();
  EXPECT_EQ(all(), (Texts{"a=y@2", "c=x@1"}));
  EXPECT_EQ(change_documents({document("a", "z", 2), document("b", "z", 0)}), Status::kCommitted);
  EXPECT_EQ(all(), (Texts{"a=z@3", "b=z@1", "c=x@1"}));
}

}  // namespace
}  // namespace conformance
