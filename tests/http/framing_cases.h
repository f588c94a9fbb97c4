// Bytes that a client may send, and what must come of them: the table that the reader and the
// server are held to.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "http/request_reader.h"

namespace http {

struct FramingCase {
  std::string name;
  std::string bytes;
  // The statuses of the answers in order, then what becomes of the connection: "200 400 close".
  // Every request that is understood is answered with 200.
  std::string expected;
};

const std::vector<FramingCase>& framing_cases();

// What the cases are made for: bodies of at most 64 bytes under /small, of 1 MiB elsewhere.
RequestLimits framing_limits();
inline constexpr size_t kSmallBody = 64;

}  // namespace http
