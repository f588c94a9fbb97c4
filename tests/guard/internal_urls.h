// Spellings of URLs that lead inside: every way to write an address that some parser understands,
// with schemes, ports and paths, names that mean the machine or the cloud around it, and tricks by
// which one reader of a URL sees another host than the next.
//
// Made to be refused: none of them may lead to a connect. Whoever sends them through the whole
// program points them at a listener of its own, opens every port (or a refused port would hide an
// open address), and counts connections.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/address.h"

namespace guard {

struct InternalUrl {
  std::string text;  // may contain control characters, NUL among them
  // Where it leads if it is read as a URL with a numeric host; without one only a loose reader or a
  // resolver would get there.
  std::optional<net::Address> target;
};

// All spellings, with `port` as one of the ports that they name.
std::vector<InternalUrl> internal_urls(uint16_t port);

}  // namespace guard
