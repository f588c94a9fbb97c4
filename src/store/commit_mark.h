// The side file commit.mark: the number of the last commit that was synced, kept beside the
// database so that a database which has lost its tail is noticed.
//
// RocksDB stops reading a log at the first record that it cannot read, and takes a log that was cut
// between two records for a whole one. Both look like a database that was never written further.
// The mark says otherwise. It is written after each synced commit and never synced itself: it costs
// one small write, after a power cut it may be older than the database, and it is never newer.
//
// Two slots in two sectors, written in turn, each with a checksum: whatever is torn or damaged in
// one, the other is at most one commit older. A mark that cannot be read at all says nothing, which
// is not an error. The mark judges; it never repairs the database.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/file_descriptor.h"

namespace store {

class CommitMark {
 public:
  // Creates the file if it is not there.
  static base::Result<CommitMark> open(const std::string& path);

  // The highest commit that this file knows to have been synced; 0 if it knows none.
  uint64_t last() const { return last_; }

  // Call with a number above last(), after that commit was synced.
  base::Result<void> write(uint64_t commit);
  // Accepts that the database ends at `commit`, whatever the mark said. Durable when it returns.
  base::Result<void> reset(uint64_t commit);

 private:
  CommitMark(std::string path, FileDescriptor file);

  std::string path_;
  FileDescriptor file_;
  uint64_t last_ = 0;
  int next_slot_ = 0;  // never the one that holds last_
};

// What the file says, without changing anything; 0 if there is no file or nothing readable in it.
base::Result<uint64_t> read_commit_mark(const std::string& path);

// An error that names the file and how many commits are lost, if the database ends before the mark.
base::Result<void> check_commit_mark(const std::string& path, uint64_t marked,
                                     uint64_t database_commit);

}  // namespace store
