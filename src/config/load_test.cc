#include "config/load.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "config/command.h"
#include "config/pages.h"
#include "config/setting_table.h"

namespace config {
namespace {

using base::Duration;

// What a process would be started with, in memory.
struct Start {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
  std::map<std::string, std::string> files;

  Loaded load() const {
    return config::load({.arguments = arguments,
                         .environment = environment,
                         .switches = {"--json"},
                         .read_file = [this](const std::string& path) { return read(path); }});
  }

  base::Result<std::optional<std::string>> read(const std::string& path) const {
    const auto found = files.find(path);
    return found == files.end() ? std::optional<std::string>() : std::optional(found->second);
  }
};

Origin origin_of(const Loaded& loaded, std::string_view name) {
  return loaded.origins[static_cast<size_t>(find_row(name) - setting_rows().data())];
}

TEST(Load, WithoutAnythingDefaultsAreInForce) {
  const Loaded loaded = Start{}.load();
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_EQ(loaded.settings.listen.to_string(), "127.0.0.1:8080");
  EXPECT_EQ(loaded.file, "");
  EXPECT_EQ(origin_of(loaded, "listen").source, Source::kDefault);
}

TEST(Load, FlagsWinOverEnvironmentOverFileOverDefault) {
  Start start{.arguments = {"--config", "/c.toml", "--retry.unit", "1s"},
              .environment = {"POSTRIDER_RETRY_UNIT=2s", "POSTRIDER_RETRY_JITTER=2"},
              .files = {{"/c.toml", "[retry]\nunit = \"3s\"\njitter = 3\nhorizon = \"3h\"\n"}}};
  const Loaded loaded = start.load();
  ASSERT_TRUE(loaded.problems.empty()) << problems_text("serve", loaded);
  EXPECT_EQ(loaded.settings.core.retry.unit, Duration::seconds(1));
  EXPECT_EQ(loaded.settings.core.retry.jitter_percent, 2);
  EXPECT_EQ(loaded.settings.core.retry.horizon, Duration::hours(3));
  EXPECT_EQ(loaded.settings.core.retry_after_max, Duration::hours(1));
  EXPECT_EQ(origin_of(loaded, "retry.unit").place, "--retry.unit");
  EXPECT_EQ(origin_of(loaded, "retry.jitter").place, "POSTRIDER_RETRY_JITTER");
  EXPECT_EQ(origin_of(loaded, "retry.horizon").place, "/c.toml:4");
}

TEST(Load, TheFileOfTheDataDirectoryIsReadIfItIsThere) {
  Start start{.arguments = {"--data=/d"}, .files = {{"/d/postrider.toml", "listen = \"[::1]:1\""}}};
  const Loaded loaded = start.load();
  EXPECT_EQ(loaded.settings.listen.to_string(), "[::1]:1");
  EXPECT_EQ(loaded.file, "/d/postrider.toml");
  start.arguments.clear();
  start.environment = {"POSTRIDER_DATA=/d"};
  EXPECT_EQ(start.load().file, "/d/postrider.toml");
}

TEST(Load, ThatFileCannotSayWhereItsDirectoryIs) {
  const Start start{.arguments = {"--data=/d"},
                    .files = {{"/d/postrider.toml", "data = \"/e\"\nconfig = \"x\"\n"}}};
  const Loaded loaded = start.load();
  ASSERT_EQ(loaded.problems.size(), 2U);
  EXPECT_EQ(loaded.problems[0],
            "/d/postrider.toml:1: data: cannot be set in this file; use --data or POSTRIDER_DATA");
  const Start other{.arguments = {"--config=/c.toml"}, .files = {{"/c.toml", "data = \"/e\""}}};
  EXPECT_EQ(other.load().settings.store.directory, "/e");
}

TEST(Load, AFileThatWasNamedMustBeThere) {
  const Loaded loaded = Start{.arguments = {"--config", "/c.toml"}}.load();
  ASSERT_EQ(loaded.problems.size(), 1U);
  EXPECT_EQ(loaded.problems[0], "/c.toml: there is no such file; it was named by --config");
}

TEST(Load, EverythingThatIsWrongIsReportedAtOnceWithWhereItWasSaid) {
  const Start start{
      .arguments = {"--config=/c.toml", "--retry.unti", "1s", "--circuit.rate_percent", "101",
                    "stray", "--listen"},
      .environment = {"POSTRIDER_RETRY_UNTI=1s", "POSTRIDER_LOG_LEVEL=loud", "HOME=/nowhere"},
      .files = {{"/c.toml", "[retri]\nunit = \"1s\"\n[retry]\nunit = \"soon\"\n"}}};
  constexpr const char* kNoTime =
      "/c.toml:4: retry.unit: 'soon' is not a time; write a whole number and a unit (ms, s, m, h, "
      "d). Example: 84s800ms";
  const std::vector<std::string> problems = start.load().problems;
  const std::vector<std::string> expected = {
      "POSTRIDER_RETRY_UNTI: is not a setting; did you mean POSTRIDER_RETRY_UNIT?",
      "--retry.unti: is not an option; did you mean --retry.unit?",
      "'1s' belongs to no option",
      "'stray' belongs to no option",
      "--listen: its value is missing. Example: --listen 127.0.0.1:8080",
      "/c.toml:2: retri.unit: is not a setting; did you mean retry.unit?",
      kNoTime,
      "POSTRIDER_LOG_LEVEL: 'loud' is not one of: error, warn, info, debug. Example: debug",
      "--circuit.rate_percent: '101' must be between 0 and 100. Example: 70",
  };
  EXPECT_EQ(problems, expected);
}

TEST(Load, ValuesThatAreOverriddenMustBeGoodAllTheSame) {
  const Start start{.arguments = {"--retry.jitter=1"}, .environment = {"POSTRIDER_RETRY_JITTER=x"}};
  EXPECT_EQ(start.load().problems.size(), 1U);
}

TEST(Load, ContradictionsAreProblems) {
  const Loaded loaded = Start{.arguments = {"--retry.delays", "2s,1s"}}.load();
  ASSERT_EQ(loaded.problems.size(), 1U);
  EXPECT_TRUE(loaded.problems[0].starts_with("retry.delays: "));
}

TEST(Load, AFlagIsGivenOnce) {
  const Loaded loaded = Start{.arguments = {"--data=/a", "--data=/b", "--data=/c"}}.load();
  ASSERT_EQ(loaded.problems.size(), 1U);
  EXPECT_EQ(loaded.problems[0], "--data: is given more than once; give it once");
}

TEST(Load, SwitchesNeedNoValueAndMayHaveOne) {
  EXPECT_TRUE(Start{.arguments = {"--store.accept_loss"}}.load().settings.store.accept_loss);
  EXPECT_FALSE(Start{.arguments = {"--dev=false"}}.load().settings.is_dev);
  const Loaded loaded = Start{.arguments = {"--dev", "--json"}}.load();
  EXPECT_TRUE(loaded.problems.empty());
  EXPECT_TRUE(loaded.has_switch("--json"));
  EXPECT_FALSE(Start{}.load().has_switch("--json"));
}

TEST(Load, DevOpensThisMachineAndNothingElseAndYieldsToWhatIsSaid) {
  const Loaded loaded = Start{.arguments = {"--dev", "--log.format=json"}}.load();
  ASSERT_TRUE(loaded.problems.empty());
  const net::AddressGuard guard(loaded.settings.client.guard);
  EXPECT_FALSE(guard.judge(*net::Address::parse("127.0.0.1")).has_value());
  EXPECT_FALSE(guard.judge(*net::Address::parse("::1")).has_value());
  EXPECT_TRUE(guard.judge(*net::Address::parse("10.0.0.1")).has_value());
  EXPECT_FALSE(guard.judge_port(9000).has_value());
  EXPECT_EQ(loaded.settings.log.format, observe::LogFormat::kJson);
  EXPECT_EQ(origin_of(loaded, "delivery.ports").source, Source::kDev);
}

TEST(Load, EmptyVariablesAndThoseOfOtherCommandsAreNoProblem) {
  const Start start{.environment = {"POSTRIDER_LISTEN=", "POSTRIDER_KEY=prk_x",
                                    "POSTRIDER_SERVER=http://127.0.0.1:8080", "POSTRIDER="}};
  const Loaded loaded = start.load();
  EXPECT_TRUE(loaded.problems.empty()) << problems_text("serve", loaded);
  EXPECT_EQ(origin_of(loaded, "listen").source, Source::kDefault);
}

TEST(Reload, TakesWhatCanChangeAndNamesTheRest) {
  const Loaded before = Start{.arguments = {"--log.level=debug", "--retention.bytes=1GiB"}}.load();
  const Loaded after = Start{.arguments = {"--listen=127.0.0.1:1", "--drain_limit=1s"}}.load();
  const Reloaded reloaded = reload(before.settings, after);
  EXPECT_EQ(reloaded.settings.log.level, observe::Level::kInfo);
  EXPECT_EQ(reloaded.settings.retention.bytes, 0U);
  EXPECT_EQ(reloaded.settings.drain_limit, Duration::seconds(1));
  EXPECT_EQ(reloaded.settings.listen.port, 8080);
  EXPECT_EQ(reloaded.changed,
            (std::vector<std::string>{"drain_limit", "log.level", "retention.bytes"}));
  EXPECT_EQ(reloaded.needs_restart, std::vector<std::string>{"listen"});
}

TEST(Reload, NothingChangedIsNothing) {
  const Loaded loaded = Start{.arguments = {"--dev"}}.load();
  const Reloaded reloaded = reload(loaded.settings, loaded);
  EXPECT_TRUE(reloaded.changed.empty());
  EXPECT_TRUE(reloaded.needs_restart.empty());
}

TEST(Pages, NoneShowsASecret) {
  const Start start{.environment = {"POSTRIDER_DELIVERY_PROXY=http://me:hush@proxy.example"}};
  const Loaded loaded = start.load();
  ASSERT_TRUE(loaded.problems.empty());
  for (const std::string& page : {effective_table(loaded), effective_json(loaded)}) {
    EXPECT_EQ(page.find("hush"), std::string::npos);
    EXPECT_NE(page.find("********"), std::string::npos);
  }
}

TEST(Pages, TheTableHasEveryValueWithItsSource) {
  const std::string table = effective_table(Start{.arguments = {"--retry.jitter=5"}}.load());
  const size_t line = table.find("retry.jitter ");
  ASSERT_NE(line, std::string::npos);
  const std::string text = table.substr(line, table.find('\n', line) - line);
  EXPECT_NE(text.find(" 5 "), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("  --retry.jitter")) << text;
  EXPECT_NE(table.find("(public addresses only)"), std::string::npos);
}

}  // namespace
}  // namespace config
