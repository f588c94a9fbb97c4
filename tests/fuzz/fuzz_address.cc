// Address and Cidr: texts are read exactly as the system's strict reader reads them, and written so
// that they are read back; a block contains what its bits say; and only public addresses pass.

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/check.h"
#include "net/address.h"
#include "net/address_guard.h"
#include "tests/fuzz/fuzz_target.h"

namespace fuzz {

namespace {

std::optional<net::Address> read_by_system(const std::string& text) {
  if (text.contains('\0')) {
    return std::nullopt;
  }
  in_addr v4{};
  if (inet_pton(AF_INET, text.c_str(), &v4) == 1) {
    return net::Address::v4(ntohl(v4.s_addr));
  }
  std::array<uint8_t, 16> v6{};
  if (inet_pton(AF_INET6, text.c_str(), v6.data()) == 1) {
    return net::Address::v6(v6);
  }
  return std::nullopt;
}

void check_round_trip(const net::Address& address) {
  CHECK(net::Address::parse(address.to_string()) == address);
  CHECK(read_by_system(address.to_string()) == address);
}

void check_verdict(const net::Address& address) {
  static const net::AddressGuard kGuard({});
  if (address.is_v4() || kGuard.judge(address).has_value()) {
    return;
  }
  const auto& bytes = address.v6_bytes();
  CHECK(bytes[0] >> 5U == 1);
  CHECK(bytes[0] != 0x20 || bytes[1] != 0x02);
  CHECK(bytes[10] != 0x5e || bytes[11] != 0xfe || (bytes[8] & 0xfdU) != 0 || bytes[9] != 0);
}

bool bit_of(const net::Address& address, int index) {
  if (address.is_v4()) {
    return (address.v4_bits() >> (31 - index) & 1U) != 0;
  }
  return (address.v6_bytes()[static_cast<size_t>(index / 8)] >> (7 - index % 8) & 1) != 0;
}

bool contains_bit_by_bit(const net::Cidr& block, const net::Address& address) {
  if (block.address.is_v4() != address.is_v4()) {
    return false;
  }
  for (int index = 0; index < block.prefix; ++index) {
    if (bit_of(block.address, index) != bit_of(address, index)) {
      return false;
    }
  }
  return true;
}

void check_block(std::string_view text, const net::Address& other) {
  const auto block = net::Cidr::parse(text);
  if (!block.has_value()) {
    CHECK(!block.error().detail.empty());
    return;
  }
  CHECK(block->contains(block->address));
  CHECK(block->contains(other) == contains_bit_by_bit(*block, other));
  const auto again = net::Cidr::parse(block->to_string());
  CHECK(again.has_value() && *again == *block);
  for (int index = block->prefix; index < (block->address.is_v4() ? 32 : 128); ++index) {
    CHECK(!bit_of(block->address, index));
  }
}

net::Address from_bytes(std::string_view input) {
  std::array<uint8_t, 16> bytes{};
  std::memcpy(bytes.data(), input.data(), std::min(input.size(), bytes.size()));
  return net::Address::v6(bytes);
}

}  // namespace

void check(std::string_view input) {
  const auto address = net::Address::parse(input);
  CHECK(address == read_by_system(std::string(input)));
  if (address.has_value()) {
    check_round_trip(*address);
    check_verdict(*address);
  }
  const net::Address raw = from_bytes(input);
  check_round_trip(raw);
  check_verdict(raw);
  check_block(input, raw);
  // The same after a raw address, so that a block and its neighbours meet.
  check_block(input.substr(std::min<size_t>(16, input.size())), raw);
}

}  // namespace fuzz
