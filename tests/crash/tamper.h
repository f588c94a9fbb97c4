// Changes a record behind the store's back, as no fault of a disk could: every checksum is in order
// afterwards. What the drills do not notice after this, they would never notice.
#pragma once

#include <string>
#include <string_view>

namespace crash {

// "lose-event", "lose-outcome": one record in the middle of that table vanishes. "lose-due": all of
// the due index. "spoil-event": a bit of one changes, and RocksDB knows nothing of it.
// "newer-format": as if a later version had written it all.
// False if there is no such thing to do.
bool tamper(const std::string& directory, std::string_view how);

}  // namespace crash
