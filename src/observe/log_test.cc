#include "observe/log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

namespace observe {
namespace {

constexpr LogLine kLine{.time = base::Instant::from_ms(1'794'810'300'000),
                        .level = Level::kInfo,
                        .message = "the server is listening"};

TEST(LogText, AsTextIsOneLineWithNamedFields) {
  EXPECT_EQ(log_text(LogFormat::kText, kLine,
                     {{"address", "127.0.0.1:8080"}, {"connections", 3}, {"is_ready", true}}),
            "2026-11-16T06:25:00.000Z info  the server is listening address=127.0.0.1:8080 "
            "connections=3 is_ready=true\n");
}

TEST(LogText, AsJsonIsOneObjectPerLine) {
  EXPECT_EQ(log_text(LogFormat::kJson, kLine,
                     {{"address", "127.0.0.1:8080"}, {"connections", 3U}, {"is_ready", false}}),
            R"({"time":"2026-11-16T06:25:00.000Z","level":"info",)"
            R"("message":"the server is listening","address":"127.0.0.1:8080",)"
            R"("connections":3,"is_ready":false})"
            "\n");
}

TEST(LogText, NobodyOutsideCanBeginALine) {
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string line =
        log_text(format, kLine, {{"reason", "first\n2026 error  forged\r\x1b[31m red"}});
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_EQ(line.find('\r'), std::string::npos);
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
  }
}

TEST(LogText, ValuesThatCouldBeMistakenForFieldsAreQuoted) {
  const std::string line =
      log_text(LogFormat::kText, kLine, {{"a", "x y"}, {"b", "c=d"}, {"e", "\""}, {"f", ""}});
  EXPECT_TRUE(line.ends_with(R"( a="x y" b="c=d" e="\"" f="")"
                             "\n"))
      << line;
}

TEST(LogText, LongTextsAreCutBetweenCharacters) {
  std::string text(kValueBytesMax - 1, 'x');
  text += "äöü";
  const std::string line = log_text(LogFormat::kJson, kLine, {{"body", text}});
  EXPECT_NE(line.find(std::string(kValueBytesMax - 1, 'x') + "…\""), std::string::npos);
}

TEST(LogText, ALineThatWouldNotFitIntoAPipeIsCutAndSaysSo) {
  const std::string text(kValueBytesMax, 'x');
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string line = log_text(
        format, kLine, {{"a", text}, {"b", text}, {"c", text}, {"d", text}, {"e", "short"}});
    EXPECT_LE(line.size(), kLineBytesMax);
    EXPECT_NE(line.find(format == LogFormat::kText ? " cut=true\n" : ",\"cut\":true}\n"),
              std::string::npos);
  }
}

// The standard error is a pipe while it lives.
class Pipe {
 public:
  Pipe() : real_(dup(STDERR_FILENO)) {
    EXPECT_EQ(pipe2(ends_.data(), O_CLOEXEC), 0);
    dup2(ends_[1], STDERR_FILENO);
    fcntl(ends_[0], F_SETFL, O_NONBLOCK);
  }
  ~Pipe() {
    dup2(real_, STDERR_FILENO);
    close(real_);
    close(ends_[0]);
    close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  std::string take() const {
    std::string text;
    std::array<char, 4096> part{};
    ssize_t size = 0;
    while ((size = read(ends_[0], part.data(), part.size())) > 0) {
      text.append(part.data(), static_cast<size_t>(size));
    }
    return text;
  }

 private:
  int real_;
  std::array<int, 2> ends_{};
};

TEST(Log, WritesFromTheLevelOnAndCounts) {
  const Pipe pipe;
  const uint64_t before = log_lines(Level::kWarn);
  set_log_level(Level::kWarn);
  log(Level::kInfo, "not shown");
  log(Level::kWarn, "shown", {{"number", 7}});
  EXPECT_FALSE(is_logged(Level::kInfo));
  set_log_level(Level::kInfo);
  const std::string text = pipe.take();
  EXPECT_EQ(text.find("not shown"), std::string::npos);
  EXPECT_TRUE(text.ends_with("warn  shown number=7\n")) << text;
  EXPECT_EQ(log_lines(Level::kWarn), before + 1);
}

TEST(Log, WaitsForNobodyAndTellsLaterWhatIsMissing) {
  const Pipe pipe;
  const uint64_t before = dropped_log_lines();
  const std::string text(kValueBytesMax, 'x');
  for (int i = 0; i < 200; ++i) {  // more than a pipe holds
    log(Level::kInfo, "a line", {{"text", text}});
  }
  const uint64_t dropped = dropped_log_lines() - before;
  EXPECT_GT(dropped, 0U);
  EXPECT_LT(dropped, 200U);
  pipe.take();
  log(Level::kInfo, "after");
  const std::string later = pipe.take();
  EXPECT_NE(later.find("log lines were dropped because nobody took them lines=" +
                       std::to_string(dropped) + "\n"),
            std::string::npos)
      << later;
  EXPECT_TRUE(later.ends_with("info  after\n"));
}

}  // namespace
}  // namespace observe
