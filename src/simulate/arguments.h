// Turns the words of the command line into a Request, or into a sentence on what is wrong with
// them.
#pragma once

#include <span>

#include "base/result.h"
#include "simulate/option_table.h"

namespace simulate {

base::Result<Request> parse_arguments(std::span<char* const> arguments);

}  // namespace simulate
