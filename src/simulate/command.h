// `postrider simulate`: parse, run, report. See docs/simulate.md.
#pragma once

#include <span>

namespace simulate {

// Returns the exit code: 0 done, 1 the picture could not be written, 2 the arguments are wrong.
int command(std::span<char* const> arguments);

}  // namespace simulate
