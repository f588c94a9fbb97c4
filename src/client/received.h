// A webhook as it is shown: for people, or as one line of JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "http/request.h"

namespace client {

struct Received {
  base::Instant at;  // wall clock
  uint64_t number = 1;
  uint16_t status = 200;  // what it is answered
  // Empty: the signature is good; a reason: it is not; nothing: it was not looked at.
  std::optional<std::string> refusal;
};

std::string received_text(const Received& received, const http::Request& request);
std::string received_json(const Received& received, const http::Request& request);

}  // namespace client
