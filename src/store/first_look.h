// A look at a data directory before it is opened for writing.
//
// Opening a database for writing changes it: RocksDB replays the logs into tables, up to the first
// record that is damaged, and deletes them, with all that came behind. So whatever must be refused
// is found out by a look that changes nothing: a directory that has lost commits, whose logs may
// still be mended, and one of a newer Postrider.
#pragma once

#include <string>

#include "base/result.h"

namespace store {

enum class Loss : bool { kRefused, kAccepted };

// kCorrupt: the database ends before the commit mark, or cannot be read. kInvalid: it was written
// by a newer Postrider. A directory without a database is fine, unless its mark says otherwise.
base::Result<bool> look_before_opening(const std::string& directory, Loss loss);

}  // namespace store
