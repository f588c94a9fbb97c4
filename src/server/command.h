// `postrider serve`: reads the configuration, runs the server until it is told to stop.
#pragma once

#include <span>

namespace server {

// Exit code: 0 stopped as it was told to; 1 it could not start; 2 the configuration has problems.
int command(std::span<char* const> arguments);

}  // namespace server
