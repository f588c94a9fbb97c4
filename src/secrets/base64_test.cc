#include "secrets/base64.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/prng.h"

namespace secrets {
namespace {

std::string encoded(std::string_view text) {
  std::string out;
  append_base64(out, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  return out;
}

std::optional<std::string> decoded(std::string_view text) {
  const auto bytes = decode_base64_secret(text);
  return bytes ? std::optional(std::string(bytes->text())) : std::nullopt;
}

TEST(Base64, AgreesWithTheVectorsOfRfc4648) {
  const std::pair<std::string, std::string> vectors[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
  };
  for (const auto& [plain, text] : vectors) {
    EXPECT_EQ(encoded(plain), text);
    EXPECT_EQ(decoded(text), plain);
  }
}

TEST(Base64, ReadsBackWhatItWrote) {
  base::Prng prng(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string plain(prng.below(100), '\0');
    for (char& c : plain) {
      c = static_cast<char>(prng.next());
    }
    ASSERT_EQ(decoded(encoded(plain)), plain);
  }
}

TEST(Base64, RefusesEverySpellingButOne) {
  for (const char* text :
       {"Zg", "Zg=", "Zg===", "Z", "=", "==", "====", "Z===", "Zh==", "Zm9=", "Zm8", "Zm9v\n",
        " Zm9v", "Zm9v Zm8=", "Zg==Zg==", "Zm-_", "Zm9\xc3", "Z=9v", "Zm=v"}) {
    EXPECT_EQ(decoded(text), std::nullopt) << text;
  }
}

// Each text that decodes is the one text of its value.
TEST(Base64, NoTwoTextsHaveTheSameValue) {
  base::Prng prng(2);
  constexpr std::string_view kCharacters = "AQgwZ+/=";
  int accepted = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text(prng.below(9), ' ');
    for (char& c : text) {
      c = kCharacters[prng.below(kCharacters.size())];
    }
    if (const auto plain = decoded(text)) {
      ASSERT_EQ(encoded(*plain), text);
      ++accepted;
    }
  }
  EXPECT_GT(accepted, 1000);
}

TEST(Base64, DecodesOnlyWhatFits) {
  std::vector<uint8_t> out(3);
  EXPECT_EQ(decode_base64("Zm9v", out), 3U);
  EXPECT_EQ(decode_base64("Zm9vYg==", out), std::nullopt);
}

}  // namespace
}  // namespace secrets
