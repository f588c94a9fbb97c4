// Who tries wrong keys too often is not heard for a while. Counted per IPv4 address and per IPv6
// /64, which is what one customer gets; in a table of bounded size, where the longest idle makes
// room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <optional>

#include "base/time.h"
#include "net/address.h"

namespace registry {

class Throttle {
 public:
  struct Options {
    uint32_t tries_max = 10;
    base::Duration period = base::Duration::minutes(1);
    size_t addresses_max = 10'000;
  };

  explicit Throttle(const Options& options) : options_(options) {}

  // How long nobody listens to this address; nothing if it may try.
  std::optional<base::Duration> wait_of(const net::Address& peer, base::Instant now) const;
  void failed(const net::Address& peer, base::Instant now);

 private:
  struct Count {
    uint32_t tries = 0;
    base::Instant until;  // begun by the first failed try; begun again by the one too many
    std::list<net::Address>::iterator place;
  };

  Options options_;
  std::map<net::Address, Count> counts_;
  std::list<net::Address> by_age_;  // the most recent failure last
};

}  // namespace registry
