#include "secrets/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/prng.h"

namespace secrets {
namespace {

using testing::HasSubstr;

constexpr std::string_view kOld = "old:AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\n";
constexpr std::string_view kNew = "new:AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=\n";
constexpr base::TenantId kTenant{7};
constexpr Place kPlace{.record = "sub_1", .purpose = Purpose::kSigningSecret};

Envelope envelope_with(std::initializer_list<std::string_view> lines) {
  std::string text;
  for (const std::string_view line : lines) {
    text += line;
  }
  return Envelope(MasterKeys::parse(text).value());
}

SecretBytes secret(std::string_view text = "a signing secret of 32 bytes ...") {
  return SecretBytes::copy_of(text);
}

void flip_bit(std::string& bytes, size_t bit) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ static_cast<char>(1U << (bit % 8)));
}

struct Tenants {
  Envelope envelope = envelope_with({kOld});
  std::vector<TenantKey> keys;

  explicit Tenants(uint64_t count) {
    for (uint64_t i = 1; i <= count; ++i) {
      const base::TenantId tenant{i};
      keys.push_back(envelope.unwrap(tenant, envelope.make_tenant_key(tenant)).value());
    }
  }
};

TEST(Envelope, OpensWhatItSealed) {
  const Envelope envelope = envelope_with({kOld});
  const std::string wrapped = envelope.make_tenant_key(kTenant);
  const std::string sealed = envelope.unwrap(kTenant, wrapped)->seal(kPlace, secret());
  const auto opened = envelope.unwrap(kTenant, wrapped)->open(kPlace, sealed);
  ASSERT_TRUE(opened.has_value()) << opened.error().detail;
  EXPECT_TRUE(opened->has_same_bytes(secret()));
}

TEST(Envelope, SealsSecretsOfAnySize) {
  const Tenants tenants(1);
  for (const size_t size : {0U, 1U, 15U, 16U, 17U, 255U, 4096U, 100'000U}) {
    const SecretBytes plain = SecretBytes::random(size);
    const std::string sealed = tenants.keys[0].seal(kPlace, plain);
    EXPECT_TRUE(tenants.keys[0].open(kPlace, sealed)->has_same_bytes(plain)) << size;
  }
}

TEST(Envelope, StoredBytesHoldNeitherSecretNorKeys) {
  const Envelope envelope = envelope_with({kOld});
  const std::string wrapped = envelope.make_tenant_key(kTenant);
  const std::string sealed = envelope.unwrap(kTenant, wrapped)->seal(kPlace, secret());
  EXPECT_EQ(sealed.find("signing secret"), std::string::npos);
  EXPECT_EQ(wrapped.find(std::string(8, '\x01')), std::string::npos);
}

TEST(Envelope, NeverGivesTheSameBytesTwice) {
  const Tenants tenants(1);
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    seen.insert(tenants.keys[0].seal(kPlace, secret()));
    seen.insert(tenants.envelope.make_tenant_key(kTenant));
  }
  EXPECT_EQ(seen.size(), 2000U);
}

TEST(Envelope, RefusesAHundredThousandFlippedBits) {
  const Tenants tenants(1);
  base::Prng prng(4);
  for (int i = 0; i < 100'000; ++i) {
    const TenantKey& key = tenants.keys[0];
    const SecretBytes plain = SecretBytes::random(prng.below(64));
    std::string sealed = key.seal(kPlace, plain);
    flip_bit(sealed, prng.below(sealed.size() * 8));
    const auto opened = key.open(kPlace, sealed);
    ASSERT_FALSE(opened.has_value());
    ASSERT_EQ(opened.error().code, base::ErrorCode::kCorrupt);
  }
}

TEST(Envelope, RefusesEveryFlippedBitOfAWrappedKey) {
  const Envelope envelope = envelope_with({kOld, kNew});
  const std::string wrapped = envelope.make_tenant_key(kTenant);
  ASSERT_TRUE(envelope.unwrap(kTenant, wrapped).has_value());
  for (size_t bit = 0; bit < wrapped.size() * 8; ++bit) {
    std::string changed = wrapped;
    flip_bit(changed, bit);
    ASSERT_FALSE(envelope.unwrap(kTenant, changed).has_value()) << bit;
    ASSERT_FALSE(envelope.rewrap(kTenant, changed).has_value()) << bit;
  }
}

struct Sealed {
  size_t tenant;
  std::string record;
  Purpose purpose;
  std::string bytes;

  Place place() const { return {.record = record, .purpose = purpose}; }
};

std::vector<Sealed> seal_everywhere(const Tenants& tenants) {
  std::vector<Sealed> all;
  for (size_t tenant = 0; tenant < tenants.keys.size(); ++tenant) {
    for (const std::string record : {"", "a", "ab", "b", "\x01", "sub_1", "sub_10"}) {
      for (const Purpose purpose : {Purpose::kSigningSecret, Purpose::kBearerToken,
                                    Purpose::kHeaderValue, Purpose::kClientKey}) {
        Sealed sealed{.tenant = tenant, .record = record, .purpose = purpose};
        sealed.bytes = tenants.keys[tenant].seal(sealed.place(), secret());
        all.push_back(std::move(sealed));
      }
    }
  }
  return all;
}

// Every sealed secret put into the place of every other: 140 x 139 with five tenants.
TEST(Envelope, RefusesEverySwapBetweenTenantsRecordsAndPurposes) {
  const Tenants tenants(5);
  const std::vector<Sealed> all = seal_everywhere(tenants);
  ASSERT_EQ(all.size(), 140U);
  for (size_t to = 0; to < all.size(); ++to) {
    for (size_t from = 0; from < all.size(); ++from) {
      const auto opened = tenants.keys[all[to].tenant].open(all[to].place(), all[from].bytes);
      ASSERT_EQ(opened.has_value(), to == from) << from << " opened in the place of " << to;
    }
  }
}

TEST(Envelope, AWrappedKeyOpensForItsTenantOnly) {
  const Envelope envelope = envelope_with({kOld});
  const std::string wrapped = envelope.make_tenant_key(kTenant);
  for (uint64_t tenant = 0; tenant < 1000; ++tenant) {
    ASSERT_EQ(envelope.unwrap({tenant}, wrapped).has_value(), tenant == kTenant.value);
  }
}

TEST(Envelope, AnotherMasterKeyOfTheSameNameOpensNothing) {
  const std::string wrapped = envelope_with({kOld}).make_tenant_key(kTenant);
  const Envelope other = envelope_with({"old:AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=\n"});
  const auto key = other.unwrap(kTenant, wrapped);
  ASSERT_FALSE(key.has_value());
  EXPECT_EQ(key.error().code, base::ErrorCode::kCorrupt);
}

TEST(Envelope, AMissingMasterKeyIsNamed) {
  const std::string wrapped = envelope_with({kOld}).make_tenant_key(kTenant);
  const auto key = envelope_with({kNew}).unwrap(kTenant, wrapped);
  ASSERT_FALSE(key.has_value());
  EXPECT_EQ(key.error().code, base::ErrorCode::kUnavailable);
  EXPECT_THAT(key.error().detail, HasSubstr("'old'"));
}

TEST(Envelope, RotatesTheMasterKeyWithoutTouchingSecrets) {
  const Envelope before = envelope_with({kOld});
  const std::string wrapped = before.make_tenant_key(kTenant);
  const std::string sealed = before.unwrap(kTenant, wrapped)->seal(kPlace, secret());
  EXPECT_TRUE(before.is_current(wrapped).value());

  const Envelope during = envelope_with({kOld, kNew});
  EXPECT_FALSE(during.is_current(wrapped).value());
  EXPECT_TRUE(during.unwrap(kTenant, wrapped)->open(kPlace, sealed).has_value());
  const std::string rewrapped = during.rewrap(kTenant, wrapped).value();
  EXPECT_TRUE(during.is_current(rewrapped).value());
  EXPECT_TRUE(during.unwrap(kTenant, wrapped)->open(kPlace, sealed).has_value());

  const Envelope after = envelope_with({kNew});
  EXPECT_FALSE(after.unwrap(kTenant, wrapped).has_value());
  EXPECT_TRUE(after.unwrap(kTenant, rewrapped)->open(kPlace, sealed)->has_same_bytes(secret()));
  EXPECT_FALSE(during.rewrap({8}, wrapped).has_value());
}

TEST(Envelope, AFutureFormatIsSaidToBeOne) {
  const Tenants tenants(1);
  std::string sealed = tenants.keys[0].seal(kPlace, secret());
  sealed[1] = 2;
  EXPECT_THAT(tenants.keys[0].open(kPlace, sealed).error().detail, HasSubstr("format 2"));
  std::string wrapped = tenants.envelope.make_tenant_key(kTenant);
  wrapped[1] = 9;
  EXPECT_THAT(tenants.envelope.unwrap(kTenant, wrapped).error().detail, HasSubstr("format 9"));
}

TEST(Envelope, AnyBytesGiveAnErrorAndNothingElse) {
  const Tenants tenants(1);
  const std::string sealed = tenants.keys[0].seal(kPlace, secret());
  const std::string wrapped = tenants.envelope.make_tenant_key({1});
  for (size_t size = 0; size < sealed.size(); ++size) {
    ASSERT_FALSE(tenants.keys[0].open(kPlace, sealed.substr(0, size)).has_value());
  }
  for (size_t size = 0; size < wrapped.size(); ++size) {
    ASSERT_FALSE(tenants.envelope.unwrap({1}, wrapped.substr(0, size)).has_value());
    ASSERT_FALSE(tenants.envelope.is_current(wrapped.substr(0, size)).has_value());
  }
  base::Prng prng(5);
  for (int i = 0; i < 100'000; ++i) {
    std::string noise(prng.below(100), '\0');
    for (char& c : noise) {
      c = static_cast<char>(prng.next());
    }
    noise.insert(0, prng.chance(50) ? "S\x01" : "K\x01");
    ASSERT_FALSE(tenants.keys[0].open(kPlace, noise).has_value());
    ASSERT_FALSE(tenants.envelope.unwrap(kTenant, noise).has_value());
  }
}

}  // namespace
}  // namespace secrets
