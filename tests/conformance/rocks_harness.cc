#include "tests/conformance/rocks_harness.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "tests/conformance/samples.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = "commit.mark";

// Below the build folder, wherever the test was started from: a real disk, unlike /tmp.
fs::path new_root() {
  static int last = 0;
  const fs::path binary = fs::read_symlink("/proc/self/exe");
  return binary.parent_path() /
         ("stores." + std::to_string(::getpid()) + "." + std::to_string(++last));
}

// Everything but the ends of the logs, which may be cut anywhere.
std::map<std::string, uintmax_t> list_files(const fs::path& folder) {
  std::map<std::string, uintmax_t> sizes;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::error_code is_gone;
    const uintmax_t size = entry.file_size(is_gone);
    sizes[entry.path().filename()] = entry.path().extension() == ".log" || is_gone ? 0 : size;
  }
  return sizes;
}

void copy_folder(const fs::path& from, const fs::path& to) {
  fs::remove_all(to);
  fs::create_directories(to);
  for (const auto& [name, size] : list_files(from)) {
    std::error_code is_gone;
    if (name != "LOCK") {
      fs::copy_file(from / name, to / name, is_gone);
    }
  }
}

// As a process that dies at one moment would leave the files: none comes or goes meanwhile. The
// mark is copied first, because it is written behind the commit that it tells of.
void copy_store(const fs::path& from, const fs::path& to) {
  fs::create_directories(to);
  fs::copy_file(from / kMark, to / kMark);
  std::map<std::string, uintmax_t> before;
  do {
    before = list_files(from / "db");
    copy_folder(from / "db", to / "db");
  } while (before != list_files(from / "db"));
}

}  // namespace

RocksHarness::RocksHarness(bool sync) : sync_(sync), root_(new_root()) { open(); }

RocksHarness::~RocksHarness() {
  close();
  fs::remove_all(root_);
}

fs::path RocksHarness::directory() const { return root_ / std::to_string(lives_); }

void RocksHarness::open() {
  auto engine = store::Engine::open({.directory = directory().string(),
                                     .sync = sync_,
                                     .block_cache_bytes = 8ULL << 20U,
                                     .write_buffer_bytes = 4ULL << 20U,
                                     .reserve_bytes = 1});
  if (!engine.has_value()) {
    (void)std::fprintf(stderr, "%s\n", engine.error().detail.c_str());
  }
  CHECK(engine.has_value());
  engine_ = *std::move(engine);
  tasks_ = std::make_unique<PostedTasks>(std::max(kStart, engine_->last_committed()));
  store_ = std::make_unique<store::RocksStore>(*engine_, *tasks_);
}

void RocksHarness::close() {
  store_.reset();
  engine_.reset();  // its threads may post until here
  tasks_.reset();
}

void RocksHarness::crash_and_reopen() {
  const fs::path before = directory();
  lives_ += 1;
  copy_store(before, directory());
  close();
  fs::remove_all(before);
  open();
}

}  // namespace conformance
