// Tells systemd how far we are, if it started us and wants to know.
#pragma once

#include <string_view>

namespace server {

// "READY=1", "STOPPING=1", "RELOADING=1". Nothing happens without NOTIFY_SOCKET; a message that
// cannot be sent is not worth more than a warning in the log.
void notify_system(std::string_view state);

}  // namespace server
