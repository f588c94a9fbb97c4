// A POST to be made, and how it looks on the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/time.h"
#include "net/tls_identity.h"
#include "net/url.h"

namespace net {

// Header lines as they go onto the wire.
class HeaderLines {
 public:
  void add(std::string_view name, std::string_view value);

  std::string_view text() const { return text_; }
  // False if a name or value would have broken out of its line; nothing of it may be sent then.
  bool is_sound() const { return is_sound_; }

 private:
  std::string text_;
  bool is_sound_ = true;
};

struct Request {
  Url url;
  HeaderLines headers;  // all but Host, Content-Length, Accept and Accept-Encoding
  std::shared_ptr<const std::string> body;
  base::Duration deadline;  // over everything, from the name to the last header
  // Connections are shared only between requests of the same owner: a tenant's endpoint with its
  // credentials.
  uint64_t pool_owner = 0;
  std::shared_ptr<const TlsIdentity> tls;  // null: the client's own
};

// Appends everything before the body. The headers must be sound.
void append_head(const Request& request, std::string& text);

// What asks an egress proxy for a tunnel to `authority`. `authorization` may be empty.
std::string tunnel_head(std::string_view authority, std::string_view authorization);

}  // namespace net
