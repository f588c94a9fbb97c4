// A hundred million IPv6 addresses that hide a forbidden IPv4 address in one of ten ways, and
// random ones against the registries.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "base/prng.h"
#include "net/address_guard.h"
#include "tests/guard/open_guard.h"
#include "tests/guard/registry.h"

namespace guard {
namespace {

constexpr uint64_t kPerEmbedding = 10'000'000;

net::Address from_halves(uint64_t high, uint64_t low) {
  std::array<uint8_t, 16> bytes{};
  for (size_t i = 0; i < 8; ++i) {
    bytes[i] = static_cast<uint8_t>(high >> (56 - 8 * i));
    bytes[i + 8] = static_cast<uint8_t>(low >> (56 - 8 * i));
  }
  return net::Address::v6(bytes);
}

uint32_t forbidden_v4(base::Prng& prng) {
  const V4Range& range = kClosedV4[prng.below(kClosedV4.size())];
  return static_cast<uint32_t>(range.first + prng.below(uint64_t{range.last} - range.first + 1));
}

// Somewhere in 2000::/3 where ordinary hosts live.
uint64_t public_prefix(base::Prng& prng) { return 0x2400'0000'0000'0000 | prng.next() >> 8U; }

struct Embedding {
  const char* name;
  net::Address (*embed)(uint64_t v4, base::Prng& prng);
};

constexpr auto kEmbeddings = std::to_array<Embedding>({
    {"mapped", [](uint64_t v4, base::Prng&) { return from_halves(0, 0xffff'0000'0000 | v4); }},
    {"compatible", [](uint64_t v4, base::Prng&) { return from_halves(0, v4); }},
    {"SIIT", [](uint64_t v4, base::Prng&) { return from_halves(0, 0xffff'0000'0000'0000 | v4); }},
    {"NAT64", [](uint64_t v4, base::Prng&) { return from_halves(0x0064'ff9b'0000'0000, v4); }},
    {"local NAT64 of 48 bits",
     [](uint64_t v4, base::Prng&) {
       return from_halves(0x0064'ff9b'0001'0000 | v4 >> 16U, (v4 & 0xffffU) << 40U);
     }},
    {"local NAT64 of 96 bits",
     [](uint64_t v4, base::Prng& prng) {
       return from_halves(0x0064'ff9b'0001'0000 | (prng.next() & 0xffffU), prng.next() << 32U | v4);
     }},
    {"6to4",
     [](uint64_t v4, base::Prng& prng) {
       return from_halves(0x2002'0000'0000'0000 | v4 << 16U | (prng.next() & 0xffffU), prng.next());
     }},
    {"Teredo",
     [](uint64_t v4, base::Prng& prng) {
       return from_halves(0x2001'0000'0000'0000 | prng.next() >> 32U,
                          prng.next() << 32U | (~v4 & 0xffff'ffffU));
     }},
    {"ISATAP, local",
     [](uint64_t v4, base::Prng& prng) {
       const uint64_t high = prng.chance(50) ? 0xfe80'0000'0000'0000 : 0;
       return from_halves(high, 0x0000'5efe'0000'0000 | v4);
     }},
    {"ISATAP, public",
     [](uint64_t v4, base::Prng& prng) {
       const uint64_t universal = prng.chance(50) ? 0x0200'0000'0000'0000 : 0;
       return from_halves(public_prefix(prng), universal | 0x0000'5efe'0000'0000 | v4);
     }},
});

uint64_t count_reachable(const net::AddressGuard& guard, const Embedding& embedding,
                         uint64_t count) {
  base::Prng prng(static_cast<uint64_t>(&embedding - kEmbeddings.data()) << 40U);
  uint64_t reachable = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const net::Address address = embedding.embed(forbidden_v4(prng), prng);
    reachable += guard.judge(address).has_value() ? 0 : 1;
  }
  return reachable;
}

TEST(RandomIPv6Test, NoEmbeddingOfAForbiddenIPv4AddressIsReachable) {
  static_assert(kEmbeddings.size() == 10);
  const net::AddressGuard guard({});
  for (const Embedding& embedding : kEmbeddings) {
    EXPECT_EQ(count_reachable(guard, embedding, kPerEmbedding), 0U) << embedding.name;
  }
}

// Even who opens all of IPv6 opens nothing that IPv4 does not open.
TEST(RandomIPv6Test, NoEmbeddingIsReachableWithAllOfIPv6Open) {
  net::GuardOptions options;
  options.allow = {*net::Cidr::parse("::/0")};
  const net::AddressGuard guard(options);
  for (const Embedding& embedding : kEmbeddings) {
    EXPECT_EQ(count_reachable(guard, embedding, kPerEmbedding / 100), 0U) << embedding.name;
  }
}

TEST(RandomIPv6Test, WithTheGuardOffTheCountSeesEveryEmbedding) {
  const net::AddressGuard guard = open_guard();
  for (const Embedding& embedding : kEmbeddings) {
    const bool never_opens = std::string(embedding.name).starts_with("local NAT64");
    EXPECT_EQ(count_reachable(guard, embedding, 10'000) > 0, !never_opens) << embedding.name;
  }
}

// Half of them anywhere, half in 2000::/3, and many with the bits of a special block.
net::Address random_v6(base::Prng& prng) {
  constexpr auto kStarts = std::to_array<uint64_t>(
      {0x2001'0000'0000'0000, 0x2001'0200'0000'0000, 0x2001'0db8'0000'0000, 0x2002'0000'0000'0000,
       0x2620'004f'8000'0000, 0x3fff'0000'0000'0000, 0x3fff'1000'0000'0000, 0});
  uint64_t high = prng.next();
  if (prng.chance(50)) {
    high = 0x2000'0000'0000'0000 | high >> 3U;
  }
  if (prng.chance(50)) {
    const auto kept = static_cast<uint32_t>(prng.range(16, 64));
    const uint64_t mask = UINT64_MAX << (64 - kept);
    high = (kStarts[prng.below(kStarts.size())] & mask) | (high & ~mask);
  }
  return from_halves(high, prng.chance(5) ? prng.next() >> 32U : prng.next());
}

TEST(RandomIPv6Test, TheGuardAgreesWithTheRegistriesOnRandomAddresses) {
  const net::AddressGuard guard({});
  base::Prng prng(6);
  uint64_t open = 0;
  uint64_t differences = 0;
  for (uint64_t i = 0; i < kPerEmbedding; ++i) {
    const net::Address address = random_v6(prng);
    const bool is_closed = is_closed_v6(address);
    open += is_closed ? 0 : 1;
    differences += guard.judge(address).has_value() == is_closed ? 0 : 1;
  }
  EXPECT_EQ(differences, 0U);
  EXPECT_GT(open, kPerEmbedding / 10);
  EXPECT_LT(open, kPerEmbedding * 9 / 10);
}

// The edges of each block, where a wrong prefix length shows.
TEST(RandomIPv6Test, TheGuardAgreesWithTheRegistriesAtEveryEdge) {
  const net::AddressGuard guard({});
  for (uint64_t bit = 0; bit < 64; ++bit) {
    for (const uint64_t start :
         {0x2000'0000'0000'0000U, 0x2001'0000'0000'0000U, 0x2001'0200'0000'0000U,
          0x2001'0db8'0000'0000U, 0x2001'0db9'0000'0000U, 0x2002'0000'0000'0000U,
          0x2003'0000'0000'0000U, 0x2620'004f'8000'0000U, 0x2620'004f'8001'0000U,
          0x3fff'0000'0000'0000U, 0x3fff'1000'0000'0000U, 0x4000'0000'0000'0000U}) {
      for (const uint64_t high : {start, start - 1, start ^ uint64_t{1} << bit}) {
        const net::Address address = from_halves(high, UINT64_MAX);
        EXPECT_EQ(guard.judge(address).has_value(), is_closed_v6(address)) << address.to_string();
      }
    }
  }
}

}  // namespace
}  // namespace guard
