// Every IPv4 address there is, judged by the guard and looked up in the registries.

#include <gtest/gtest.h>

#include <cstdint>

#include "net/address_guard.h"
#include "tests/guard/open_guard.h"
#include "tests/guard/registry.h"

namespace guard {
namespace {

struct Comparison {
  uint64_t compared = 0;
  uint64_t wrongly_open = 0;
  uint64_t wrongly_closed = 0;
};

// Walks from `first` to `last`, range by range of the registry.
Comparison compare(const net::AddressGuard& guard, uint32_t first, uint32_t last) {
  Comparison result;
  size_t row = 0;
  for (uint64_t address = first; address <= last; ++address) {
    while (row < kClosedV4.size() && kClosedV4[row].last < address) {
      ++row;
    }
    const bool is_closed = row < kClosedV4.size() && kClosedV4[row].first <= address;
    const bool is_refused =
        guard.judge(net::Address::v4(static_cast<uint32_t>(address))).has_value();
    ++result.compared;
    result.wrongly_open += is_closed && !is_refused ? 1 : 0;
    result.wrongly_closed += !is_closed && is_refused ? 1 : 0;
  }
  return result;
}

// In eighths, so that the cores of a machine share them.
class AllIPv4EighthTest : public testing::TestWithParam<uint32_t> {};

constexpr uint32_t kEighth = 1U << 29U;

TEST_P(AllIPv4EighthTest, TheGuardAgreesWithTheRegistriesOnEveryAddress) {
  const uint32_t first = GetParam() * kEighth;
  const Comparison result = compare(net::AddressGuard({}), first, first + (kEighth - 1));
  EXPECT_EQ(result.compared, kEighth);
  EXPECT_EQ(result.wrongly_open, 0U);
  EXPECT_EQ(result.wrongly_closed, 0U);
}
INSTANTIATE_TEST_SUITE_P(All, AllIPv4EighthTest, testing::Range(0U, 8U));

TEST(AllIPv4Test, TheRegistryClosesAsManyAddressesAsItsRowsSay) {
  // Three of 2^24, one of 2^22, 2^20 and 2^17, two of 2^16, eight of 2^8, one alone, and 2^29.
  uint64_t closed = 0;
  for (const V4Range& range : kClosedV4) {
    closed += uint64_t{range.last} - range.first + 1;
  }
  EXPECT_EQ(closed, 592'709'633U);
}

TEST(AllIPv4Test, TheRegistryIsSortedAndItsRangesDoNotTouch) {
  for (size_t row = 1; row < kClosedV4.size(); ++row) {
    EXPECT_GT(kClosedV4[row].first, uint64_t{kClosedV4[row - 1].last} + 1) << row;
  }
}

TEST(AllIPv4Test, WithTheGuardOffTheComparisonSeesIt) {
  const Comparison result = compare(open_guard(), 0x7f000000, 0x7fffffff);
  EXPECT_EQ(result.wrongly_open, uint64_t{1} << 24U);
}

TEST(AllIPv4Test, OneOpenedAddressIsSeen) {
  net::GuardOptions options;
  options.allow = {*net::Cidr::parse("192.168.7.9")};
  const Comparison result = compare(net::AddressGuard(options), 0xc0a80000, 0xc0a8ffff);
  EXPECT_EQ(result.wrongly_open, 1U);
}

}  // namespace
}  // namespace guard
