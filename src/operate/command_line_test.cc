#include "operate/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace operate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

base::Result<Request> parse_words(const CommandRow& row, std::vector<std::string> words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size());
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  return parse(row, pointers);
}

std::string refusal(const CommandRow& row, const std::vector<std::string>& words) {
  const auto request = parse_words(row, words);
  return request.has_value() ? "accepted" : request.error().detail;
}

TEST(CommandLine, OperandsKeepTheirOrderWhereverOptionsStand) {
  const auto request = parse_words(kBackup, {"from", "--json", "to"});
  ASSERT_TRUE(request.has_value());
  EXPECT_TRUE(request->json);
  EXPECT_THAT(request->operands, ElementsAre("from", "to"));
}

TEST(CommandLine, NamesTheOperandThatIsMissing) {
  EXPECT_THAT(refusal(kAudit, {}), HasSubstr("DIRECTORY is missing"));
  EXPECT_THAT(refusal(kBackup, {"from"}), HasSubstr("TARGET is missing"));
  EXPECT_THAT(refusal(kRestore, {"from"}), HasSubstr("DIRECTORY is missing"));
}

TEST(CommandLine, RefusesAWordTooManyAndUnknownOptions) {
  EXPECT_THAT(refusal(kAudit, {"one", "two"}), HasSubstr("'two' is one word too many"));
  EXPECT_THAT(refusal(kAudit, {"--jsn", "one"}), HasSubstr("--jsn is not an option"));
}

TEST(CommandLine, HelpNeedsNoOperands) {
  const auto request = parse_words(kRestore, {"--help"});
  ASSERT_TRUE(request.has_value());
  EXPECT_TRUE(request->help);
}

TEST(CommandLine, HelpNamesOperandsOptionsAndExitCodes) {
  for (const CommandRow* const row : {&kAudit, &kBackup, &kRestore}) {
    const std::string text = help_text(*row);
    for (const Operand& operand : row->operands) {
      EXPECT_THAT(text, HasSubstr(std::string(operand.meaning)));
    }
    EXPECT_THAT(text, HasSubstr("--json"));
    EXPECT_THAT(text, HasSubstr("Exit code"));
  }
}

}  // namespace
}  // namespace operate
