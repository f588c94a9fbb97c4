#include "net/request.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace net {
namespace {

TEST(HeaderLines, AValueMayBeEmpty) {
  HeaderLines lines;
  lines.add("x-empty", std::string_view());
  lines.add("x-full", "value");
  EXPECT_EQ(lines.text(), "x-empty: \r\nx-full: value\r\n");
  EXPECT_TRUE(lines.is_sound());
}

TEST(HeaderLines, AControlCharacterAnywhereMakesThemUnsound) {
  for (size_t at = 0; at < 20; ++at) {
    std::string value(20, 'v');
    value[at] = '\n';
    HeaderLines lines;
    lines.add("x-broken", value);
    EXPECT_FALSE(lines.is_sound()) << at;
  }
}

}  // namespace
}  // namespace net
