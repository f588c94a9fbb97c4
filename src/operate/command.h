// `postrider audit`, `postrider backup` and `postrider restore`: what an operator does to a data
// directory that no server has open. See docs/operations.md.
//
// Each returns the exit code: 0 done and sound, 1 it could not be done or what was found is not
// sound, 2 the arguments are wrong. Results go to the standard output, refusals to the other.
#pragma once

#include <span>

namespace operate {

int audit(std::span<char* const> arguments);
int backup(std::span<char* const> arguments);
int restore(std::span<char* const> arguments);

}  // namespace operate
