#include "store/logged_commits.h"

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <utility>

#include "store/codec.h"
#include "store/keys.h"

namespace store {
namespace {

constexpr auto kMetaId = static_cast<uint32_t>(Family::kMeta);

// Of one commit, the rows that say which it is and of which version; all others are passed over.
class MetaRows final : public rocksdb::WriteBatch::Handler {
 public:
  std::optional<std::string> state;
  std::optional<std::string> format;

  rocksdb::Status PutCF(uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override {
    if (family == kMetaId && key == rocksdb::Slice(kStateKey)) {
      state = value.ToString();
    } else if (family == kMetaId && key == rocksdb::Slice(kFormatKey)) {
      format = value.ToString();
    }
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteCF(uint32_t /*family*/, const rocksdb::Slice& /*key*/) override {
    return rocksdb::Status::OK();
  }
  rocksdb::Status SingleDeleteCF(uint32_t /*family*/, const rocksdb::Slice& /*key*/) override {
    return rocksdb::Status::OK();
  }
  rocksdb::Status DeleteRangeCF(uint32_t /*family*/, const rocksdb::Slice& /*from*/,
                                const rocksdb::Slice& /*until*/) override {
    return rocksdb::Status::OK();
  }
  rocksdb::Status MergeCF(uint32_t /*family*/, const rocksdb::Slice& /*key*/,
                          const rocksdb::Slice& /*value*/) override {
    return rocksdb::Status::OK();
  }
  void LogData(const rocksdb::Slice& /*blob*/) override {}
};

}  // namespace

rocksdb::WalFilter::WalProcessingOption LoggedCommits::LogRecordFound(
    unsigned long long /*log_number*/, const std::string& log_file,
    const rocksdb::WriteBatch& batch, rocksdb::WriteBatch* /*new_batch*/, bool* /*batch_changed*/) {
  MetaRows rows;
  const rocksdb::Status status = batch.Iterate(&rows);
  if (!status.ok()) {
    note_unreadable(log_file, status.ToString());
  }
  if (rows.format) {
    format_ = std::move(rows.format);
  }
  if (rows.state) {
    const base::Result<Standing> standing = decode_standing(kStateKey, *rows.state);
    if (standing.has_value()) {
      note(standing->commit, log_file);
    } else {
      note_unreadable(log_file, standing.error().detail);
    }
  }
  return WalProcessingOption::kIgnoreCurrentRecord;
}

void LoggedCommits::note(uint64_t commit, const std::string& log) {
  if (!first_) {
    first_ = Step{.from = 0, .to = commit, .log = log};
  } else if (commit != last_ + 1 && !break_) {
    break_ = Step{.from = last_, .to = commit, .log = log};
  }
  last_ = commit;
}

void LoggedCommits::note_unreadable(const std::string& log, const std::string& why) {
  if (!unreadable_) {
    unreadable_ = base::Error{.code = base::ErrorCode::kCorrupt,
                              .detail = "cannot read a commit in " + log + ": " + why};
  }
}

base::Error LoggedCommits::describe(const Step& step) {
  std::string detail = "in " + step.log + " commit " + std::to_string(step.to) +
                       " comes right after commit " + std::to_string(step.from) + ": ";
  if (step.to <= step.from) {
    detail += "the logs do not belong together";
  } else {
    const uint64_t lost = step.to - step.from - 1;
    detail += std::to_string(lost) + (lost == 1 ? " commit is lost" : " commits are lost");
  }
  return {.code = base::ErrorCode::kCorrupt, .detail = std::move(detail)};
}

base::Result<uint64_t> LoggedCommits::last_after(uint64_t in_tables) const {
  if (unreadable_) {
    return std::unexpected(*unreadable_);
  }
  if (!first_) {
    return in_tables;
  }
  // Logs may begin before the table ends: other tables still need what is there.
  if (first_->to > in_tables + 1) {
    return std::unexpected(describe({.from = in_tables, .to = first_->to, .log = first_->log}));
  }
  if (break_) {
    return std::unexpected(describe(*break_));
  }
  return std::max(in_tables, last_);
}

}  // namespace store
