#include "server/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "observe/log.h"

namespace server {
namespace {

bool send_to(const std::string& path, std::string_view state) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    errno = ENAMETOOLONG;
    return false;
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  if (address.sun_path[0] == '@') {
    address.sun_path[0] = '\0';  // how an abstract socket is written
  }
  const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) {
    return false;
  }
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  const ssize_t sent = sendto(descriptor, state.data(), state.size(), MSG_NOSIGNAL,
                              reinterpret_cast<const sockaddr*>(&address), size);
  close(descriptor);
  return sent == static_cast<ssize_t>(state.size());
}

}  // namespace

void notify_system(std::string_view state) {
  // Nobody changes the environment once the server runs.
  const char* path = std::getenv("NOTIFY_SOCKET");  // NOLINT(concurrency-mt-unsafe)
  if (path == nullptr || *path == '\0') {
    return;
  }
  if (!send_to(path, state)) {
    observe::log(observe::Level::kWarn, "systemd could not be notified",
                 {{"reason", std::generic_category().message(errno)}});
  }
}

}  // namespace server
