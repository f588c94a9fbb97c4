// Descriptors of this process: as many as the settings may need, before there are connections.
//
// Services and logins may open 1024 at first, which is meant for programs that use select() and can
// be raised by anybody. And the kernel doubles a table of descriptors whenever it is full; a
// process with several threads waits 6 ms for that, with all its connections.
#pragma once

#include <cstdint>

namespace server {

// Raises the limit as far as it may, and makes the table as large. To be called while there is one
// thread only. Says how many there may be now: `wanted`, or what the system sets as the most.
uint64_t make_room_for_descriptors(uint64_t wanted);

}  // namespace server
