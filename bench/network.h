// A network namespace for a benchmark: loopback, and a network behind which nobody answers.
#pragma once

namespace bench {

// Moves this process into a network of its own. 127.0.0.0/8 is this machine; packets to
// 10.0.0.0/8 are sent and lost. Ends the process with words if the system does not allow it.
void enter_own_network();

}  // namespace bench
