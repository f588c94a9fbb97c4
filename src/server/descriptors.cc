#include "server/descriptors.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace server {
namespace {

uint64_t raise_limit(uint64_t wanted) {
  rlimit limit{};
  CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_cur < wanted) {
    const rlimit raised{.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max),
                        .rlim_max = limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) {
      limit = raised;
    }
  }
  return std::min<uint64_t>(wanted, limit.rlim_cur);
}

// A table never shrinks. One that cannot be made now grows later.
void enlarge_table(uint64_t size) {
  const int any = eventfd(0, EFD_CLOEXEC);
  const auto most = uint64_t{std::numeric_limits<int>::max()};
  const int highest = fcntl(any, F_DUPFD_CLOEXEC, static_cast<int>(std::min(size, most) - 1));
  if (highest >= 0) {
    close(highest);
  }
  if (any >= 0) {
    close(any);
  }
}

}  // namespace

uint64_t make_room_for_descriptors(uint64_t wanted) {
  CHECK_GT(wanted, 0U);
  const uint64_t allowed = raise_limit(wanted);
  enlarge_table(allowed);
  return allowed;
}

}  // namespace server
