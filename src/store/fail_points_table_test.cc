#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>

#include "store/fail_points.h"

namespace store {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool is_production(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return (name.ends_with(".cc") || name.ends_with(".h")) && !name.ends_with("_test.cc") &&
         name != "fail_points.h";
}

void add_names_in(const std::string& text, std::multiset<std::string>& names) {
  const std::string_view use = "FAIL_POINT(\"";
  for (size_t found = text.find(use); found != std::string::npos; found = text.find(use, found)) {
    found += use.size();
    names.insert(text.substr(found, text.find('"', found) - found));
  }
}

std::multiset<std::string> used_in(const std::filesystem::path& folder) {
  std::multiset<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (is_production(entry.path())) {
      add_names_in(text_of(entry.path()), names);
    }
  }
  return names;
}

TEST(FailPointTable, NamesExactlyTheStepsInTheSourcesEachOnce) {
  const std::multiset<std::string> listed(kFailPoints.begin(), kFailPoints.end());
  EXPECT_EQ(used_in(POSTRIDER_STORE_SOURCES), listed);
}

TEST(FailPointTable, KnowsWhatIsNotInIt) {
  EXPECT_EQ(fail_point_index(kFailPoints.back()), kFailPoints.size() - 1);
  EXPECT_EQ(fail_point_index("no.such_point"), kFailPoints.size());
}

}  // namespace
}  // namespace store
