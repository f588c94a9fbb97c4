// How RocksDB is set up, and why.
#pragma once

#include <rocksdb/options.h>

#include "store/database.h"

namespace store {

rocksdb::DBOptions database_tuning(const DatabaseOptions& options);
rocksdb::ColumnFamilyOptions family_tuning(Family family, const DatabaseOptions& options,
                                           const std::shared_ptr<rocksdb::Cache>& cache);

}  // namespace store
