// Where a configuration comes from in a process that runs: its words, its environment, its disk.

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "config/load.h"

namespace config {
namespace {

base::Result<std::optional<std::string>> read_file(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) {
      return std::optional<std::string>();
    }
    return base::fail(base::ErrorCode::kIo, std::system_category().message(errno));
  }
  if (!S_ISREG(found.st_mode)) {
    return base::fail(base::ErrorCode::kIo, "it is not a file");
  }
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad() || !file.is_open()) {
    return base::fail(base::ErrorCode::kIo, std::system_category().message(errno));
  }
  return std::optional<std::string>(std::move(text));
}

}  // namespace

Inputs process_inputs(std::span<char* const> arguments, std::vector<std::string_view> switches) {
  Inputs inputs{.arguments = {arguments.begin(), arguments.end()},
                .environment = {},
                .switches = std::move(switches),
                .read_file = read_file};
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    inputs.environment.emplace_back(*entry);
  }
  return inputs;
}

}  // namespace config
