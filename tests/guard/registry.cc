#include "tests/guard/registry.h"

#include <algorithm>
#include <string_view>

#include "base/check.h"

namespace guard {

namespace {

struct V6Range {
  net::Address first;
  net::Address last;
};

net::Address v6(std::string_view text) {
  const auto address = net::Address::parse(text);
  CHECK(address.has_value() && !address->is_v4());
  return *address;
}

// What is left of 2000::/3 (https://www.iana.org/assignments/ipv6-address-space) without the rows
// of https://www.iana.org/assignments/iana-ipv6-special-registry (updated 2025-10-09) inside it.
const std::array<V6Range, 6>& open_v6() {
  static const std::array<V6Range, 6> kRanges = {{
      {v6("2000::"), v6("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff")},
      // 2001::/23: IETF protocol assignments
      {v6("2001:200::"), v6("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff")},
      // 2001:db8::/32: documentation
      {v6("2001:db9::"), v6("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff")},
      // 2002::/16: 6to4
      {v6("2003::"), v6("2620:4f:7fff:ffff:ffff:ffff:ffff:ffff")},
      // 2620:4f:8000::/48: direct delegation AS112
      {v6("2620:4f:8001::"), v6("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff")},
      // 3fff::/20: documentation
      {v6("3fff:1000::"), v6("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")},
  }};
  return kRanges;
}

// RFC 5214: the identifier is 0000:5efe or, with the universal bit, 0200:5efe, and the address.
bool has_isatap_identifier(const net::Address& address) {
  const auto& bytes = address.v6_bytes();
  return (bytes[8] == 0 || bytes[8] == 2) && bytes[9] == 0 && bytes[10] == 0x5e &&
         bytes[11] == 0xfe;
}

}  // namespace

// https://www.iana.org/assignments/iana-ipv4-special-registry (updated 2025-10-09),
// https://www.iana.org/assignments/multicast-addresses; and one metadata server in public space.
const std::array<V4Range, 18> kClosedV4 = {{
    {0x00000000, 0x00ffffff},  // this network, RFC 791
    {0x0a000000, 0x0affffff},  // private use, RFC 1918
    {0x64400000, 0x647fffff},  // shared address space, RFC 6598
    {0x7f000000, 0x7fffffff},  // loopback, RFC 1122
    {0xa83f8110, 0xa83f8110},  // 168.63.129.16: Azure's wire server, in no registry
    {0xa9fe0000, 0xa9feffff},  // link local, RFC 3927
    {0xac100000, 0xac1fffff},  // private use, RFC 1918
    {0xc0000000, 0xc00000ff},  // IETF protocol assignments, RFC 6890
    {0xc0000200, 0xc00002ff},  // documentation, RFC 5737
    {0xc01fc400, 0xc01fc4ff},  // AS112-v4, RFC 7535
    {0xc034c100, 0xc034c1ff},  // AMT, RFC 7450
    {0xc0586300, 0xc05863ff},  // 6to4 relay anycast, RFC 7526
    {0xc0a80000, 0xc0a8ffff},  // private use, RFC 1918
    {0xc0af3000, 0xc0af30ff},  // direct delegation AS112, RFC 7534
    {0xc6120000, 0xc613ffff},  // benchmarking, RFC 2544
    {0xc6336400, 0xc63364ff},  // documentation, RFC 5737
    {0xcb007100, 0xcb0071ff},  // documentation, RFC 5737
    {0xe0000000, 0xffffffff},  // multicast RFC 5771, reserved RFC 1112, broadcast RFC 8190
}};

bool is_closed_v4(uint32_t address) {
  const auto after = std::ranges::upper_bound(kClosedV4, address, {}, &V4Range::first);
  return after != kClosedV4.begin() && address <= std::prev(after)->last;
}

bool is_closed_v6(const net::Address& address) {
  const bool is_open = std::ranges::any_of(open_v6(), [&](const V6Range& range) {
    return range.first <= address && address <= range.last;
  });
  return !is_open || has_isatap_identifier(address);
}

}  // namespace guard
