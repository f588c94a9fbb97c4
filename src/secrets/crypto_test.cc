// HMAC-SHA256 and Ed25519 against published vectors and against OpenSSL's own interfaces.
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <array>
#include <string>
#include <vector>

#include "base/prng.h"
#include "secrets/ed25519.h"
#include "secrets/hmac_sha256.h"

namespace secrets {
namespace {

std::span<const uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string hex(std::span<const uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xfU];
  }
  return text;
}

std::string from_hex(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string random_text(base::Prng& prng, size_t size) {
  std::string text(size, '\0');
  for (char& c : text) {
    c = static_cast<char>(prng.next());
  }
  return text;
}

struct HmacVector {
  std::string key;
  std::string message;
  std::string digest;
};

// RFC 4231, test cases 1 to 4, 6 and 7.
TEST(HmacSha256, AgreesWithTheVectorsOfRfc4231) {
  const std::vector<HmacVector> vectors = {
      {std::string(20, '\x0b'), "Hi There",
       "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?",
       "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'),
       "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {from_hex("0102030405060708090a0b0c0d0e0f10111213141516171819"), std::string(50, '\xcd'),
       "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
      {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
      {std::string(131, '\xaa'),
       "This is a test using a larger than block-size key and a larger than block-size data. The "
       "key needs to be hashed before being used by the HMAC algorithm.",
       "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
  };
  for (const HmacVector& vector : vectors) {
    EXPECT_EQ(hex(HmacSha256(bytes_of(vector.key)).digest({vector.message})), vector.digest);
  }
}

TEST(HmacSha256, AgreesWithOpensslForAnyKeyAndAnySplit) {
  base::Prng prng(3);
  for (int i = 0; i < 3000; ++i) {
    const std::string key = random_text(prng, 1 + prng.below(200));
    const std::string message = random_text(prng, prng.below(300));
    std::array<uint8_t, 32> expected{};
    size_t size = 0;
    ASSERT_NE(EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, key.data(), key.size(),
                        bytes_of(message).data(), message.size(), expected.data(), expected.size(),
                        &size),
              nullptr);
    const size_t cut = prng.below(message.size() + 1);
    const std::string_view whole = message;
    const HmacSha256 hmac(bytes_of(key));
    ASSERT_EQ(hmac.digest({whole.substr(0, cut), "", whole.substr(cut)}), expected);
    ASSERT_EQ(hmac.digest({whole}), expected) << "a second use starts afresh";
  }
}

struct Ed25519Vector {
  std::string seed;
  std::string public_key;
  std::string message;
  std::string signature;
};

// RFC 8032, section 7.1, tests 1 to 3.
const std::vector<Ed25519Vector>& rfc8032_vectors() {
  static const std::vector<Ed25519Vector> kVectors = {
      {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
       "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
       "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf"
       "9"
       "b46bd25bf5f0595bbe24655141438e7a100b"},
      {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
       "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
       "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f"
       "1"
       "1d8c387b2eaeb4302aeeb00d291612bb0c00"},
      {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
       "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
       "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984"
       "d"
       "c6594a7c15e9716ed28dc027beceea1ec40a"},
  };
  return kVectors;
}

TEST(Ed25519, AgreesWithTheVectorsOfRfc8032) {
  for (const Ed25519Vector& vector : rfc8032_vectors()) {
    const std::string seed = from_hex(vector.seed);
    const std::string message = from_hex(vector.message);
    const Ed25519PrivateKey key(bytes_of(seed).first<kEd25519KeyBytes>());
    EXPECT_EQ(hex(key.public_key()), vector.public_key);
    const auto signature = key.sign(message);
    EXPECT_EQ(hex(signature), vector.signature);
    EXPECT_TRUE(Ed25519PublicKey(key.public_key()).verify(message, signature));
  }
}

TEST(Ed25519, RefusesEveryOneBitChangeAndEveryOtherLength) {
  const std::string seed = from_hex(rfc8032_vectors()[0].seed);
  const Ed25519PrivateKey key(bytes_of(seed).first<kEd25519KeyBytes>());
  const Ed25519PublicKey public_key(key.public_key());
  const auto signature = key.sign("message");
  for (size_t bit = 0; bit < signature.size() * 8; ++bit) {
    auto changed = signature;
    changed[bit / 8] ^= static_cast<uint8_t>(1U << (bit % 8));
    ASSERT_FALSE(public_key.verify("message", changed)) << bit;
  }
  for (size_t size = 0; size < signature.size(); ++size) {
    ASSERT_FALSE(public_key.verify("message", std::span(signature).first(size))) << size;
  }
  EXPECT_FALSE(public_key.verify("massage", signature));
}

}  // namespace
}  // namespace secrets
