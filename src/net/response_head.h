// The head of a response: status and header lines, kept as the bytes that arrived.
//
// A head is made by ResponseReader only, so its lines are known to be well formed. They are not
// taken apart into a map: of the few headers that anybody asks for, each is asked for once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace net {

struct ResponseHead {
  uint16_t status = 0;
  std::string lines;  // "Name: value\r\n" for each header, without the status line

  // The value of the first header with this name, whatever its case.
  std::optional<std::string_view> find(std::string_view name) const;
};

}  // namespace net
