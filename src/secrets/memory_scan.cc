#include "secrets/memory_scan.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "base/check.h"

namespace secrets {

namespace {

struct Region {
  uintptr_t begin = 0;
  uintptr_t end = 0;
};

// A sanitizer's shadow spans terabytes and holds no data of ours.
constexpr uintptr_t kRegionMax = uintptr_t{1} << 32U;
constexpr size_t kWindow = size_t{64} * 1024;
constexpr size_t kMapsMax = size_t{1} << 20U;

// Fresh pages, not the heap: there the search would write over what it is looking for.
class Pages {
 public:
  explicit Pages(size_t size) : size_(size) { CHECK(start_ != MAP_FAILED); }
  ~Pages() { ::munmap(start_, size_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  uint8_t* bytes() const { return static_cast<uint8_t*>(start_); }
  size_t size() const { return size_; }

 private:
  size_t size_;
  void* start_ = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
};

int open_for_reading(const char* path) {
  const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
  CHECK(descriptor >= 0);
  return descriptor;
}

std::string_view read_maps(const Pages& pages) {
  const int maps = open_for_reading("/proc/self/maps");
  size_t filled = 0;
  ssize_t got = 1;
  while (got > 0) {
    got = ::read(maps, pages.bytes() + filled, pages.size() - filled);
    filled += static_cast<size_t>(std::max<ssize_t>(got, 0));
  }
  ::close(maps);
  CHECK_LT(filled, pages.size());
  return {reinterpret_cast<const char*>(pages.bytes()), filled};
}

// "7f00-7f10 rw-p ... name". An empty region if it cannot or need not be read.
Region parse_region(std::string_view line) {
  Region region;
  const char* begin = line.data();
  const char* end = begin + line.size();
  const auto first = std::from_chars(begin, end, region.begin, 16);
  const auto second = std::from_chars(first.ptr + 1, end, region.end, 16);
  const bool is_kernels = line.ends_with("[vvar]") || line.ends_with("[vsyscall]");
  const bool is_readable = second.ptr + 1 < end && second.ptr[1] == 'r';
  return is_readable && !is_kernels && region.end - region.begin < kRegionMax ? region : Region{};
}

bool stands_at(const Plant& plant, size_t from, const uint8_t* place) {
  for (size_t i = from; i < plant.size(); ++i) {
    if (place[i - from] != plant.at(i)) {
      return false;
    }
  }
  return true;
}

const uint8_t* find_byte(const uint8_t* begin, const uint8_t* end, uint8_t byte) {
  const void* found = std::memchr(begin, byte, static_cast<size_t>(end - begin));
  return found == nullptr ? end : static_cast<const uint8_t*>(found);
}

class Scanner {
 public:
  Scanner(const Plant& plant, size_t from) : plant_(plant), from_(from) {}
  ~Scanner() { ::close(memory_); }
  Scanner(const Scanner&) = delete;
  Scanner& operator=(const Scanner&) = delete;

  void scan_all() {
    const Pages pages(kMapsMax);
    std::string_view maps = read_maps(pages);
    while (!maps.empty()) {
      const std::string_view line = maps.substr(0, maps.find('\n'));
      scan(parse_region(line));
      maps.remove_prefix(std::min(maps.size(), line.size() + 1));
    }
  }

  const ScanResult& result() const { return result_; }

 private:
  // Windows overlap by a needle less one byte, so that none is split and none counted twice.
  void scan(Region region) {
    const size_t needle = plant_.size() - from_;
    uintptr_t at = region.begin;
    while (at + needle <= region.end) {
      const size_t wanted = std::min<size_t>(kWindow, region.end - at);
      const ssize_t got = ::pread(memory_, window_.bytes(), wanted, static_cast<off_t>(at));
      if (got < static_cast<ssize_t>(needle)) {
        return;
      }
      look_through(at, static_cast<size_t>(got));
      at += static_cast<size_t>(got) - needle + 1;
    }
  }

  void look_through(uintptr_t at, size_t size) {
    const size_t needle = plant_.size() - from_;
    const uint8_t first = plant_.at(from_);
    const uint8_t* const bytes = window_.bytes();
    const uint8_t* const end = bytes + size - needle + 1;
    const uint8_t* place = bytes;
    while ((place = find_byte(place, end, first)) != end) {
      const uintptr_t address = at + static_cast<uintptr_t>(place - bytes);
      result_.hits += !is_own(address) && stands_at(plant_, from_, place) ? 1 : 0;
      ++place;
    }
    result_.bytes_read += size;
  }

  bool is_own(uintptr_t address) const {
    const auto begin = reinterpret_cast<uintptr_t>(window_.bytes());
    return address >= begin && address < begin + window_.size();
  }

  const Plant& plant_;
  size_t from_;
  int memory_ = open_for_reading("/proc/self/mem");
  Pages window_{kWindow};
  ScanResult result_;
};

}  // namespace

ScanResult scan_own_memory(const Plant& plant, size_t from) {
  Scanner scanner(plant, from);
  scanner.scan_all();
  return scanner.result();
}

}  // namespace secrets
