// Makes a data directory of a backup, and counts what is in it.
#pragma once

#include <string>

#include "base/result.h"
#include "store/audit.h"

namespace store {

// Copies a backup into a data directory that is absent or empty. The backup is not changed. Until
// the copy is complete and synced it cannot be opened. kNotFound, kInvalid: it is no backup.
// kConflict: there is something in the directory. The report says whether what is there now is
// sound; if not, the backup is damaged.
base::Result<AuditReport> restore_backup(const std::string& backup, const std::string& directory);

}  // namespace store
