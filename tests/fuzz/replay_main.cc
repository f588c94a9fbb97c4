// replay_<target> <folder>: feeds every file of the folder to the target. A CHECK that fails ends
// the program; a folder without files is a failure too, for it would show nothing.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: replay_<target> <folder>\n", stderr);
    return 2;
  }
  size_t replayed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) {
    const std::string input = read(entry.path());
    // Named before it runs, so that the last line names the culprit.
    std::printf("%s\n", entry.path().filename().c_str());
    std::fflush(stdout);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
    ++replayed;
  }
  std::printf("%zu inputs\n", replayed);
  return replayed > 0 ? 0 : 1;
}
