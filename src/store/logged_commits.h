// The commits in RocksDB's logs, read one by one and not applied: where they begin and end, and
// whether one is missing between two others.
//
// RocksDB takes a log that was cut between two records for a whole one. It notes the size of a log
// when the next one is in use, so a cut is noticed; but if the process dies after the first commit
// into the next log and before that note, nothing knows how long the log before was. Commits are
// numbered without gaps and each carries its number (the state row), so the logs themselves tell.
#pragma once

#include <rocksdb/wal_filter.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace store {

class LoggedCommits final : public rocksdb::WalFilter {
 public:
  // The version in the logs, if it was written there, as it was encoded.
  const std::optional<std::string>& format() const { return format_; }

  // The last commit, of a table meta that ends at commit `in_tables` and of the logs behind it.
  // kCorrupt: one is missing between them, or within the logs.
  base::Result<uint64_t> last_after(uint64_t in_tables) const;

  const char* Name() const override { return "LoggedCommits"; }
  WalProcessingOption LogRecordFound(unsigned long long log_number, const std::string& log_file,
                                     const rocksdb::WriteBatch& batch,
                                     rocksdb::WriteBatch* new_batch, bool* batch_changed) override;

 private:
  // Two commits that should be neighbours; the later one is in the log of that name.
  struct Step {
    uint64_t from = 0;
    uint64_t to = 0;
    std::string log;
  };
  static base::Error describe(const Step& step);

  void note(uint64_t commit, const std::string& log);
  void note_unreadable(const std::string& log, const std::string& why);

  std::optional<std::string> format_;
  std::optional<Step> first_;  // `from` is for the tables to say
  std::optional<Step> break_;  // the first one
  uint64_t last_ = 0;
  std::optional<base::Error> unreadable_;  // the first one
};

}  // namespace store
