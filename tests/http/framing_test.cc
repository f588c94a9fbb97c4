// The table of framing cases against the reader alone: in one piece, byte by byte, in every two
// parts, and in random pieces. Where the bytes are cut changes nothing.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/prng.h"
#include "tests/http/framing_cases.h"
#include "tests/http/reading.h"

namespace http {
namespace {

// Two parts of long cases are tried at every place near their ends, and elsewhere now and then.
constexpr size_t kShortCase = 600;
constexpr size_t kStride = 97;

class Framing : public testing::Test {
 protected:
  Reading read(const FramingCase& framing, const std::function<size_t()>& next_size) {
    return read_in_pieces(framing.bytes, limits_, next_size);
  }

  RequestLimits limits_ = framing_limits();
};

TEST_F(Framing, HasAtLeastTwoHundredDifferentCases) {
  std::set<std::string> bytes;
  for (const FramingCase& framing : framing_cases()) {
    EXPECT_TRUE(bytes.insert(framing.bytes).second) << framing.name;
  }
  EXPECT_GE(bytes.size(), 200U);
}

TEST_F(Framing, OfWholePiecesIsAsTheTableSays) {
  for (const FramingCase& framing : framing_cases()) {
    const Reading reading = read(framing, [&] { return framing.bytes.size(); });
    EXPECT_EQ(reading.statuses, framing.expected) << framing.name << "\n" << reading.requests;
  }
}

TEST_F(Framing, IsTheSameByteByByte) {
  for (const FramingCase& framing : framing_cases()) {
    const Reading whole = read(framing, [&] { return framing.bytes.size(); });
    const Reading cut = read(framing, [] { return size_t{1}; });
    EXPECT_EQ(cut.statuses, framing.expected) << framing.name;
    EXPECT_EQ(cut.requests, whole.requests) << framing.name;
  }
}

TEST_F(Framing, IsTheSameInAnyTwoParts) {
  for (const FramingCase& framing : framing_cases()) {
    const Reading whole = read(framing, [&] { return framing.bytes.size(); });
    const size_t size = framing.bytes.size();
    for (size_t first = 1; first < size; ++first) {
      const bool is_inside = first > kShortCase / 2 && size - first > kShortCase / 2;
      if (is_inside && first % kStride != 0) {
        continue;
      }
      size_t next = first;
      const Reading cut = read(framing, [&] { return std::exchange(next, size); });
      ASSERT_EQ(cut.statuses, framing.expected) << framing.name << " cut at " << first;
      ASSERT_EQ(cut.requests, whole.requests) << framing.name << " cut at " << first;
    }
  }
}

// Cases one after the other, so that requests follow on each other and break off anywhere.
TEST_F(Framing, IsTheSameInRandomPieces) {
  base::Prng prng(20261116);
  const auto& cases = framing_cases();
  for (int round = 0; round < 5000; ++round) {
    std::string bytes;
    for (uint64_t count = 1 + prng.below(5); count > 0; --count) {
      bytes += cases[prng.below(cases.size())].bytes;
    }
    const Reading whole = read_in_pieces(bytes, limits_, [&] { return bytes.size(); });
    const uint64_t size_max = 1 + prng.below(100);
    const Reading cut = read_in_pieces(bytes, limits_, [&] { return 1 + prng.below(size_max); });
    ASSERT_EQ(cut.statuses, whole.statuses) << bytes;
    ASSERT_EQ(cut.requests, whole.requests) << bytes;
  }
}

}  // namespace
}  // namespace http
