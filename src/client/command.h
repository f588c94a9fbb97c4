// The commands that talk to a server, or stand in for a receiver. See docs/commands.md.
//
// Each returns the exit code: 0 done, 1 it could not be done, 2 the arguments are wrong. Results go
// to the standard output, refusals to the other.
#pragma once

#include <span>

namespace client {

int publish(std::span<char* const> arguments);
int listen(std::span<char* const> arguments);

}  // namespace client
