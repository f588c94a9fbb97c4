// Keeps the memory of this process from being written to a disk.
#pragma once

#include "base/result.h"

namespace secrets {

// Call it first thing in main(), before a secret is read. Also stops other processes of the same
// user from reading our memory, and hides /proc/self/mem and environ from everybody but root; a
// debugger then needs root too. Inherited by nobody: execve() resets it.
base::Result<void> disable_core_dumps();

}  // namespace secrets
