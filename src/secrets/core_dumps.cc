#include "secrets/core_dumps.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

namespace secrets {

namespace {

std::unexpected<base::Error> refused(const char* what) {
  return base::fail(base::ErrorCode::kIo, std::string("cannot disable core dumps: ") + what + ": " +
                                              std::generic_category().message(errno));
}

}  // namespace

// Both are needed: the kernel ignores the limit when dumps are piped to a program, and a later
// change of user may make the process dumpable again.
base::Result<void> disable_core_dumps() {
  const rlimit none{0, 0};
  if (setrlimit(RLIMIT_CORE, &none) != 0) {
    return refused("setrlimit(RLIMIT_CORE)");
  }
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) {
    return refused("prctl(PR_SET_DUMPABLE)");
  }
  return {};
}

}  // namespace secrets
