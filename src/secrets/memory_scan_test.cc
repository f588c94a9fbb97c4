// Planted secrets are gone from memory once their owners are. The first tests show that the search
// finds what is there.
#include "secrets/memory_scan.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "secrets/base64.h"
#include "secrets/ed25519.h"
#include "secrets/envelope.h"
#include "secrets/hmac_sha256.h"
#include "secrets/secret_bytes.h"

namespace secrets {
namespace {

constexpr size_t kSecretBytes = 64;

SecretBytes planted(const Plant& plant) {
  SecretBytes secret(plant.size());
  plant.write_to(secret.writable());
  return secret;
}

MasterKeys keys_of(const Plant& plant) {
  const SecretBytes bytes = planted(plant);
  SecretBytes line(3 + base64_size(bytes.size()));
  std::memcpy(line.writable().data(), "k1:", 3);
  encode_base64(bytes.bytes(), reinterpret_cast<char*>(line.writable().data()) + 3);
  return MasterKeys::parse(line.text()).value();
}

TEST(MemoryScan, FindsALiveSecretExactlyOnce) {
  const Plant plant(0x1001, kSecretBytes);
  const SecretBytes secret = planted(plant);
  const ScanResult scan = scan_own_memory(plant);
  EXPECT_EQ(scan.hits, 1U);
  EXPECT_GT(scan.bytes_read, size_t{1} << 20U);
  EXPECT_EQ(secret.size(), kSecretBytes);
}

TEST(MemoryScan, FindsWhatFreedHeapBlocksLeaveBehind) {
  const Plant plant(0x2001, size_t{4} * kSecretBytes);
  std::vector<std::string> careless(100);
  for (std::string& text : careless) {
    for (size_t i = 0; i < plant.size(); ++i) {
      text += static_cast<char>(plant.at(i));
    }
  }
  careless.clear();
  EXPECT_GE(scan_own_memory(plant, kSecretBytes).hits, 90U);
}

TEST(MemoryScan, FindsNothingThatWasNeverThere) {
  EXPECT_EQ(scan_own_memory(Plant(0x3001, kSecretBytes)).hits, 0U);
}

TEST(MemoryScan, SecretBytesLeaveNothingBehind) {
  // One of the small blocks, one that has pages of its own, one that was moved and shortened.
  for (const size_t size : {size_t{64}, size_t{20'000}, size_t{300}}) {
    const Plant plant(0x4001 + size, size);
    {
      SecretBytes first = planted(plant);
      SecretBytes second = std::move(first);
      const SecretBytes copy = SecretBytes::copy_of(second.bytes());
      ASSERT_EQ(scan_own_memory(plant).hits, 2U);
      second.shorten(16);
      ASSERT_EQ(scan_own_memory(plant, 16).hits, 1U);
    }
    EXPECT_EQ(scan_own_memory(plant, 16).hits, 0U);
  }
}

TEST(MemoryScan, SealingAndOpeningLeaveNothingBehind) {
  const Plant secret_plant(0x5001, kSecretBytes);
  const Plant key_plant(0x6001, 32);
  std::string sealed;
  {
    const Envelope envelope(keys_of(key_plant));
    const base::TenantId tenant{7};
    const std::string wrapped = envelope.make_tenant_key(tenant);
    const TenantKey key = envelope.unwrap(tenant, wrapped).value();
    const Place place{.record = "sub_1", .purpose = Purpose::kSigningSecret};
    sealed = key.seal(place, planted(secret_plant));
    const SecretBytes opened = key.open(place, sealed).value();
    ASSERT_TRUE(opened.has_same_bytes(planted(secret_plant)));
    ASSERT_GE(scan_own_memory(secret_plant).hits, 1U);
    ASSERT_GE(scan_own_memory(key_plant).hits, 1U);
  }
  EXPECT_EQ(scan_own_memory(secret_plant, 16).hits, 0U);
  EXPECT_EQ(scan_own_memory(key_plant, 16).hits, 0U);
}

TEST(MemoryScan, SigningLeavesNoKeyBehind) {
  const Plant hmac_plant(0x7001, kSecretBytes);
  const Plant seed_plant(0x8001, 32);
  {
    const HmacSha256 hmac(planted(hmac_plant).bytes());
    EXPECT_EQ(scan_own_memory(hmac_plant).hits, 0U) << "the keyed state holds no key";
    hmac.digest({"message"});
    const SecretBytes seed = planted(seed_plant);
    const Ed25519PrivateKey key(seed.bytes().first<kEd25519KeyBytes>());
    key.sign("message");
    ASSERT_GE(scan_own_memory(seed_plant).hits, 2U);
  }
  EXPECT_EQ(scan_own_memory(hmac_plant, 16).hits, 0U);
  EXPECT_EQ(scan_own_memory(seed_plant, 16).hits, 0U);
}

TEST(MemoryScan, OfAThousandCopiesNoneIsLeft) {
  const Plant plant(0x9001, kSecretBytes);
  std::vector<SecretBytes> copies;
  for (int i = 0; i < 1000; ++i) {
    const SecretBytes secret = planted(plant);
    SecretBytes text(base64_size(secret.size()));
    encode_base64(secret.bytes(), reinterpret_cast<char*>(text.writable().data()));
    copies.push_back(decode_base64_secret(text.text()).value());
  }
  ASSERT_EQ(scan_own_memory(plant).hits, 1000U);
  copies.clear();
  EXPECT_EQ(scan_own_memory(plant, 16).hits, 0U);
}

}  // namespace
}  // namespace secrets
