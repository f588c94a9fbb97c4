// What a driver tells the rig: lines on standard output, each in one system call, so that a line is
// out as soon as it is true, whatever happens to the process afterwards.
//
// writev() and not write(): the rig lets write() fail on purpose.
#pragma once

#include <string>
#include <utility>

#include "fmt/format.h"

namespace crash {

// Ends the process if nobody listens any more.
void say_line(std::string line);

template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  say_line(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace crash
