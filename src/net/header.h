// One header line of a request or a response: a name and a value, as they are on the wire.
#pragma once

#include <string>

namespace net {

struct Header {
  std::string name;
  std::string value;

  friend bool operator==(const Header&, const Header&) = default;
};

}  // namespace net
