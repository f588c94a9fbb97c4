// The least that a server on one thread can do: one epoll, one read and one write per request, an
// answer that never changes. What a real server is measured against.
#pragma once

#include <cstdint>
#include <string_view>

namespace bench {

// Listens on any port of 127.0.0.1; returns the descriptor.
int listen_on_loopback();
uint16_t port_of(int listener);

// Answers every request on `listener` with these bytes, for ever. A request must come in one piece
// and be alone in it.
[[noreturn]] void serve_bare(int listener, std::string_view answer);

}  // namespace bench
