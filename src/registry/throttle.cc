#include "registry/throttle.h"

#include <algorithm>
#include <array>

namespace registry {
namespace {

// ::ffff:a.b.c.d, as a socket for both families shows an IPv4 client.
std::optional<net::Address> carried_v4(const std::array<uint8_t, 16>& bytes) {
  constexpr std::array<uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (!std::equal(kMapped.begin(), kMapped.end(), bytes.begin())) {
    return std::nullopt;
  }
  return net::Address::v4(uint32_t{bytes[12]} << 24U | uint32_t{bytes[13]} << 16U |
                          uint32_t{bytes[14]} << 8U | uint32_t{bytes[15]});
}

// Whoever has one address of an IPv6 /64 has them all.
net::Address neighbourhood_of(const net::Address& peer) {
  if (peer.is_v4()) {
    return peer;
  }
  std::array<uint8_t, 16> bytes = peer.v6_bytes();
  if (const auto address = carried_v4(bytes)) {
    return *address;
  }
  std::fill(bytes.begin() + 8, bytes.end(), uint8_t{0});
  return net::Address::v6(bytes);
}

}  // namespace

std::optional<base::Duration> Throttle::wait_of(const net::Address& peer, base::Instant now) const {
  const auto found = counts_.find(neighbourhood_of(peer));
  if (found == counts_.end() || found->second.tries < options_.tries_max ||
      now >= found->second.until) {
    return std::nullopt;
  }
  return found->second.until - now;
}

void Throttle::failed(const net::Address& peer, base::Instant now) {
  const net::Address address = neighbourhood_of(peer);
  auto found = counts_.find(address);
  if (found == counts_.end()) {
    if (counts_.size() >= options_.addresses_max) {
      counts_.erase(by_age_.front());
      by_age_.pop_front();
    }
    found = counts_.emplace(address, Count{}).first;
    found->second.place = by_age_.insert(by_age_.end(), address);
  }
  Count& count = found->second;
  by_age_.splice(by_age_.end(), by_age_, count.place);
  if (now >= count.until) {
    count.tries = 0;
  }
  ++count.tries;
  if (count.tries == 1 || count.tries >= options_.tries_max) {
    count.until = now + options_.period;
  }
}

}  // namespace registry
