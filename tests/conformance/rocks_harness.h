// The embedded store in a directory beside the test's binary, which goes with the harness.
#pragma once

#include <filesystem>
#include <memory>

#include "store/engine.h"
#include "store/rocks_store.h"
#include "tests/conformance/harness.h"
#include "tests/conformance/posted_tasks.h"

namespace conformance {

class RocksHarness : public Harness {
 public:
  // `sync` false: quicker, for tests that only compare answers.
  explicit RocksHarness(bool sync = true);
  ~RocksHarness() override;

  store::Store& store() override { return *store_; }
  base::Scheduler& scheduler() override { return *tasks_; }
  bool run_until(const std::function<bool()>& is_done) override {
    return tasks_->run_until(is_done);
  }
  // Goes on with a copy of the files as they are at this moment, in the middle of what is under
  // way; the store that is left behind ends in its own time, unheard.
  void crash_and_reopen() override;

  store::Engine& engine() { return *engine_; }
  store::RocksStore& rocks() { return *store_; }
  std::filesystem::path directory() const;
  // In order, and for good: for a look at the files.
  void close();

 private:
  void open();

  bool sync_;
  std::filesystem::path root_;
  int lives_ = 0;
  std::unique_ptr<PostedTasks> tasks_;
  std::unique_ptr<store::Engine> engine_;
  std::unique_ptr<store::RocksStore> store_;
};

}  // namespace conformance
