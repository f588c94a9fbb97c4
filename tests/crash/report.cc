#include "tests/crash/report.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace crash {

void say_line(std::string line) {
  line += '\n';
  iovec left{.iov_base = line.data(), .iov_len = line.size()};
  while (left.iov_len > 0) {
    const ssize_t written = writev(STDOUT_FILENO, &left, 1);
    if (written < 0 && errno != EINTR) {
      _exit(EXIT_FAILURE);
    }
    if (written > 0) {
      left.iov_base = static_cast<char*>(left.iov_base) + written;
      left.iov_len -= static_cast<size_t>(written);
    }
  }
}

}  // namespace crash
