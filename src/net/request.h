// A POST to be made, and how it looks on the wire.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "net/header.h"
#include "net/tls_identity.h"
#include "net/url.h"

namespace net {

struct Request {
  Url url;
  std::vector<Header> headers;  // all but Host, Content-Length, Accept and Accept-Encoding
  std::shared_ptr<const std::string> body;
  base::Duration deadline;  // over everything, from the name to the last header
  // Connections are shared only between requests of the same owner: a tenant's endpoint with its
  // credentials.
  uint64_t pool_owner = 0;
  std::shared_ptr<const TlsIdentity> tls;  // null: the client's own
};

// Everything before the body. Nothing if a header would break out of its line.
std::optional<std::string> request_head(const Request& request);

// What asks an egress proxy for a tunnel to `authority`. `authorization` may be empty.
std::string tunnel_head(std::string_view authority, std::string_view authorization);

}  // namespace net
