// The header `traceparent` of W3C Trace Context, as far as somebody needs it who passes a trace on:
//
//   00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
//   version, trace id, span id of the caller, flags
//
// A malformed one is no error: the specification says to go on without a trace. What we pass on is
// version 00, the newest we know, whatever the version that came in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace text {

// As it is passed on; nothing if it is malformed.
std::optional<std::string> read_traceparent(std::string_view header);

// The same trace and flags under another span. `traceparent` came from read_traceparent(); a span
// of 0, which is no span, becomes 1.
std::string with_span(std::string_view traceparent, uint64_t span);

}  // namespace text
