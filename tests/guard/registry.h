// What the address guard has to agree with, written down a second time from the registries of IANA
// and in another way: sorted ranges with first and last address instead of prefixes, and for IPv6
// what is left open instead of what is closed. Nothing here uses the code that it checks, but for
// the Address type.
#pragma once

#include <array>
#include <cstdint>

#include "net/address.h"

namespace guard {

struct V4Range {
  uint32_t first;
  uint32_t last;
};

// Sorted, disjoint, not touching: every IPv4 address that may not be reached.
extern const std::array<V4Range, 18> kClosedV4;

// By binary search; for random addresses.
bool is_closed_v4(uint32_t address);

// Every IPv6 address outside these ranges is closed, and so is one inside with an ISATAP
// identifier.
bool is_closed_v6(const net::Address& address);

}  // namespace guard
