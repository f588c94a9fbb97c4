#include "secrets/master_keys.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

namespace secrets {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr std::string_view kOnes = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
constexpr std::string_view kTwos = "AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=";

std::string line(std::string_view id, std::string_view key) {
  return std::string(id) + ":" + std::string(key);
}

std::string problem_of(std::string_view text) {
  const auto keys = MasterKeys::parse(text);
  return keys.has_value() ? "" : keys.error().detail;
}

class KeyFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "postrider_keys_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = folder_ + "/keys";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& text, mode_t mode = 0600) const {
    std::ofstream(path_) << text;
    ASSERT_EQ(chmod(path_.c_str(), mode), 0);
  }
  std::string content() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  base::Error load_error() const {
    auto keys = MasterKeys::load_file(path_);
    return keys.has_value() ? base::Error{base::ErrorCode::kInvalid, "loaded"} : keys.error();
  }

  std::string folder_;
  std::string path_;
};

TEST(MasterKeys, TheLastOneEncryptsAndAllAreFound) {
  const auto keys = MasterKeys::parse("# remark, with a comma\n\n " + line("old", kOnes) + " \r\n" +
                                      line("new", kTwos) + "\n");
  ASSERT_TRUE(keys.has_value()) << keys.error().detail;
  EXPECT_EQ(keys->size(), 2U);
  EXPECT_EQ(keys->newest().id, "new");
  ASSERT_NE(keys->find("old"), nullptr);
  EXPECT_EQ(keys->find("old")->bytes.text(), std::string(32, '\x01'));
  EXPECT_EQ(keys->find("new")->bytes.text(), std::string(32, '\x02'));
  EXPECT_EQ(keys->find("other"), nullptr);
}

TEST(MasterKeys, FitOnOneLineForTheEnvironment) {
  const auto keys = MasterKeys::parse(line("old", kOnes) + ", " + line("new", kTwos));
  ASSERT_TRUE(keys.has_value()) << keys.error().detail;
  EXPECT_EQ(keys->size(), 2U);
  EXPECT_EQ(keys->newest().id, "new");
}

TEST(MasterKeys, RefusesWhatIsNoKeyAndSaysHowToMakeOne) {
  for (const std::string& text :
       {std::string(), std::string("\n\n# only remarks\n"), std::string(kOnes), std::string(":"),
        line("", kOnes), line("Upper", kOnes), line("a b", kOnes),
        line(std::string(33, 'a'), kOnes), line("k", kOnes.substr(0, 43)), line("k", "AAAA"),
        line("k", std::string(44, 'A')), line("k", "not base64")}) {
    EXPECT_THAT(problem_of(text), HasSubstr("openssl rand -base64 32")) << text;
  }
}

TEST(MasterKeys, MessagesNeverRepeatAKey) {
  const std::string secret = "c2VjcmV0IHNlY3JldCBzZWNyZXQ";
  EXPECT_THAT(problem_of("k1:" + secret), Not(HasSubstr(secret)));
  EXPECT_THAT(problem_of(secret), Not(HasSubstr(secret)));
}

TEST(MasterKeys, RefusesTwoKeysOfOneName) {
  EXPECT_THAT(problem_of(line("k1", kOnes) + "\n" + line("k1", kTwos)),
              HasSubstr("two master keys are called 'k1'"));
}

TEST(MasterKeys, TakesThemFromTheEnvironmentAndWipesThemThere) {
  std::string variable = "POSTRIDER_TEST_KEY=" + line("env", kOnes);
  std::array<char*, 2> entries = {variable.data(), nullptr};
  char** const before = std::exchange(environ, entries.data());
  const auto keys = MasterKeys::take_environment("POSTRIDER_TEST_KEY");
  const auto missing = MasterKeys::take_environment("POSTRIDER_TEST");
  environ = before;

  ASSERT_TRUE(keys.has_value()) << keys.error().detail;
  EXPECT_EQ(keys->newest().id, "env");
  EXPECT_EQ(variable, "POSTRIDER_TEST_KEY=" + std::string(line("env", kOnes).size(), '\0'));
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code, base::ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().detail, HasSubstr("POSTRIDER_TEST"));
}

TEST(MasterKeys, GeneratedOnesParseAndDiffer) {
  const SecretBytes first = generate_master_key();
  const SecretBytes second = generate_master_key();
  const auto keys =
      MasterKeys::parse(std::string(first.text()) + "\n" + std::string(second.text()) + "\n");
  ASSERT_TRUE(keys.has_value()) << keys.error().detail;
  EXPECT_EQ(keys->size(), 2U);
}

TEST_F(KeyFile, IsMadeForItsOwnerAlone) {
  ASSERT_TRUE(create_key_file(path_).has_value());
  struct stat status{};
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
  EXPECT_EQ(MasterKeys::load_file(path_)->size(), 1U);
}

TEST_F(KeyFile, IsNeverOverwritten) {
  write("precious");
  const auto made = create_key_file(path_);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, base::ErrorCode::kConflict);
  EXPECT_EQ(content(), "precious");
}

TEST_F(KeyFile, AnAppendedKeyBecomesTheNewestAndTheOldOneStays) {
  write(line("first", kOnes));
  ASSERT_TRUE(append_key(path_).has_value());
  ASSERT_TRUE(append_key(path_).has_value());
  EXPECT_THAT(content(), StartsWith(line("first", kOnes) + "\n"));
  const auto keys = MasterKeys::load_file(path_);
  ASSERT_TRUE(keys.has_value()) << keys.error().detail;
  EXPECT_EQ(keys->size(), 3U);
  EXPECT_NE(keys->find("first"), nullptr);
  EXPECT_NE(keys->newest().id, "first");
}

TEST_F(KeyFile, IsNotAppendedToWhenItIsNoKeyFile) {
  write("shopping list");
  EXPECT_FALSE(append_key(path_).has_value());
  EXPECT_EQ(content(), "shopping list");
}

TEST_F(KeyFile, IsRefusedWhenOthersHaveAnyRightToIt) {
  for (const mode_t mode : {0640U, 0604U, 0644U, 0620U, 0602U, 0610U, 0601U, 0777U}) {
    write(line("k", kOnes), mode);
    EXPECT_THAT(load_error().detail, HasSubstr("run: chmod 600 " + path_)) << mode;
  }
  for (const mode_t mode : {0600U, 0400U}) {
    write(line("k", kOnes), mode);
    EXPECT_EQ(load_error().detail, "loaded") << mode;
  }
}

TEST_F(KeyFile, ErrorsNameTheFile) {
  const base::Error missing = load_error();
  EXPECT_EQ(missing.code, base::ErrorCode::kNotFound);
  EXPECT_THAT(missing.detail, HasSubstr(path_));
  write("nonsense");
  EXPECT_THAT(load_error().detail, StartsWith(path_ + ": "));
}

TEST_F(KeyFile, MustBeARegularFileOfReasonableSize) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THAT(load_error().detail, HasSubstr("not a regular file"));
  ASSERT_EQ(unlink(path_.c_str()), 0);
  write(std::string(100'000, '#'));
  EXPECT_THAT(load_error().detail, HasSubstr("too large"));
}

}  // namespace
}  // namespace secrets
