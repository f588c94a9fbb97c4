#include "secrets/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace secrets {
namespace {

std::string hex(const Sha256& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

// FIPS 180-2, appendix B.
TEST(Sha256, AgreesWithThePublishedExamples) {
  EXPECT_EQ(hex(sha256({"abc"})),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256({"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"})),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, DoesNotSeeWherePartsEnd) {
  EXPECT_EQ(sha256({"a", "", "bc"}), sha256({"abc"}));
  EXPECT_NE(sha256({"ab"}), sha256({"abc"}));
}

}  // namespace
}  // namespace secrets
