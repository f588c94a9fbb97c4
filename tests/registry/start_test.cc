// The first start, and those after it.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/registry/registry_rig.h"

namespace registry_tests {
namespace {

using registry::FirstStart;

const net::Address kPeer = net::Address::v4(1);

class Start : public RegistryRig {
 protected:
  Start() : directory_(std::filesystem::path(::testing::TempDir()) / unique_name()) {
    std::filesystem::create_directories(directory_);
  }
  ~Start() override { std::filesystem::remove_all(directory_); }

  static std::string unique_name() {
    return std::string("registry_") +
           ::testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
           std::to_string(::getpid());
  }

  base::Result<std::optional<FirstStart>> bootstrap() {
    return ask<std::optional<FirstStart>>(
        [&](auto done) { registry().bootstrap(directory_.string(), done); });
  }

  std::string key_file() const {
    std::ifstream file(directory_ / "admin.key");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  std::filesystem::path directory_;
};

TEST_F(Start, TheFirstMakesATenantAndAnAdminKey) {
  const auto first = bootstrap();
  ASSERT_TRUE(first.has_value()) << first.error().detail;
  ASSERT_TRUE(first->has_value());
  const auto caller = registry().authenticate((*first)->admin_key.text(), kPeer).caller;
  ASSERT_TRUE(caller.has_value());
  EXPECT_EQ(caller->tenant, (*first)->tenant);
  EXPECT_TRUE(caller->scopes.has(registry::Scope::kAdmin));
  EXPECT_EQ(registry().tenants().find((*first)->tenant)->name, "default");
  EXPECT_EQ(key_file(), std::string((*first)->admin_key.text()) + "\n");
  struct stat status{};
  ASSERT_EQ(::stat((directory_ / "admin.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(Start, LaterOnesMakeNothing) {
  const std::string key((*bootstrap().value()).admin_key.text());
  restart();
  EXPECT_FALSE(bootstrap().value().has_value());
  EXPECT_EQ(registry().tenants().size(), 1U);
  EXPECT_TRUE(registry().authenticate(key, kPeer).caller.has_value());
}

TEST_F(Start, OneThatWasCutShortGoesOnWithTheKeyThatWasWritten) {
  store_.set_faults({.failed_per_mille = 1000});
  EXPECT_FALSE(bootstrap().has_value());
  const std::string written = key_file();
  EXPECT_FALSE(written.empty());
  store_.set_faults({});
  restart();
  const auto second = bootstrap();
  ASSERT_TRUE(second.has_value()) << second.error().detail;
  EXPECT_EQ(std::string((*second)->admin_key.text()) + "\n", written);
  EXPECT_TRUE(registry().authenticate((*second)->admin_key.text(), kPeer).caller.has_value());
}

TEST_F(Start, AFileThatIsNoKeyIsNotOverwritten) {
  std::ofstream(directory_ / "admin.key") << "something else\n";
  std::filesystem::permissions(directory_ / "admin.key", std::filesystem::perms::owner_read);
  const auto first = bootstrap();
  ASSERT_FALSE(first.has_value());
  EXPECT_NE(first.error().detail.find("admin.key"), std::string::npos);
  EXPECT_EQ(key_file(), "something else\n");
}

TEST_F(Start, MasterKeysAreMadeOnceAndFoundAgain) {
  const auto made = registry::find_master_keys(directory_.string(), "");
  ASSERT_TRUE(made.has_value()) << made.error().detail;
  const auto found = registry::find_master_keys(directory_.string(), "");
  ASSERT_TRUE(found.has_value());
  EXPECT_TRUE(found->newest().bytes.has_same_bytes(made->newest().bytes));
  EXPECT_EQ(registry::find_master_keys(directory_.string(), "/nowhere/key").error().code,
            base::ErrorCode::kNotFound);
}

TEST_F(Start, ADamagedDocumentStopsTheStartByName) {
  const base::TenantId tenant = new_tenant();
  store::Batch batch;
  batch.documents = {{.table = model::Table::kSubscriptions,
                      .tenant = tenant,
                      .key = "sub_0000000000000007",
                      .value = "{\"v\":1,\"url\":7}",
                      .expected_revision = 0}};
  bool is_stored = false;
  store_.commit(now(), batch, [&](const store::BatchResult&) { is_stored = true; });
  ASSERT_TRUE(run_until([&] { return is_stored; }));
  const auto loaded = try_restart();
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().code, base::ErrorCode::kCorrupt);
  EXPECT_NE(loaded.error().detail.find("sub_0000000000000007"), std::string::npos);
}

}  // namespace
}  // namespace registry_tests
