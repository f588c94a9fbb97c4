// What benchmarks publish: random JSON that compresses badly, and events made of it.
//
// A payload may carry a stamp, the time at which it was sent or ought to have been, so that a
// receiver in another process of this machine can tell how long it took. Stamps have a fixed place
// and width: setting one writes over the one before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/prng.h"

namespace bench {

inline constexpr size_t kPayloadBytes = 1024;

// Exactly kPayloadBytes, with a stamp of 0 and no key twice.
std::string random_json(base::Prng& prng);
std::vector<std::string> random_payloads(size_t count);

// `{"type":"bench.3","payload":...}`. Topics let one event go to one of many endpoints.
std::string event_type(size_t topic);
std::string event_of(size_t topic, std::string_view payload);

// The monotonic clock, which all processes of a machine share.
int64_t nanoseconds_now();
// `text` must have a stamp.
void set_stamp(std::string& text, int64_t nanoseconds);
// None if `text` has no stamp, or one of 0.
std::optional<int64_t> stamp_of(std::string_view text);

}  // namespace bench
