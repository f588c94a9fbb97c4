// Work in several processes: a run that stops at a CHECK must not take the others with it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace swarm {

// Sends a line to the parent.
using Say = std::function<void(const std::string&)>;

// Runs `work(i, say)` for i below `workers`, each in a process of its own, and calls `heard` for
// each line that they say. A worker that does not end well is reported with its last line.
void run_forked(uint64_t workers, const std::function<void(uint64_t, const Say&)>& work,
                const std::function<void(const std::string&)>& heard,
                const std::function<void(const std::string&, int)>& died);

}  // namespace swarm
