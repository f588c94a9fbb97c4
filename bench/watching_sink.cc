#include "bench/watching_sink.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>
#include <string_view>

#include "base/check.h"
#include "bench/payloads.h"

namespace bench {
namespace {

constexpr std::string_view kRefusal =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";
constexpr std::string_view kFirstAttempt = "\r\npostrider-attempt: 1\r\n";
constexpr size_t kNotesMax = size_t{1} << 21U;

}  // namespace

struct WatchingSink::Board {
  std::atomic<uint64_t> received = 0;
  std::atomic<uint64_t> noted = 0;
  std::array<int64_t, kNotesMax> late_ns;  // as many as were noted; pages appear as they are used

  void take(std::string_view request) {
    if (const auto stamp = stamp_of(request)) {
      const uint64_t place = noted.load(std::memory_order_relaxed);
      CHECK_LT(place, kNotesMax);
      late_ns[place] = nanoseconds_now() - *stamp;
      noted.store(place + 1, std::memory_order_release);
    }
    received.fetch_add(1, std::memory_order_release);
  }
};

WatchingSink::WatchingSink(FirstAttempts first) {
  void* const memory =
      mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  board_ = new (memory) Board;
  const bool refuses = first == FirstAttempts::kAreRefused;
  SinkOptions options;
  options.processor.reset();
  options.answering = [board = board_, refuses](std::string_view request) {
    const std::string_view head = request.substr(0, request.find("\r\n\r\n") + 2);
    if (refuses && head.find(kFirstAttempt) != std::string_view::npos) {
      return kRefusal;
    }
    board->take(request);
    return kSinkAnswer;
  };
  process_ = std::make_unique<SinkProcess>(options);
}

WatchingSink::~WatchingSink() {
  process_.reset();
  munmap(board_, sizeof(Board));
}

uint64_t WatchingSink::received() const { return board_->received.load(std::memory_order_acquire); }

std::vector<double> WatchingSink::late_ms() const {
  const uint64_t count = board_->noted.load(std::memory_order_acquire);
  std::vector<double> late(count);
  std::ranges::transform(board_->late_ns.begin(),
                         board_->late_ns.begin() + static_cast<std::ptrdiff_t>(count), late.begin(),
                         [](int64_t ns) { return static_cast<double>(ns) / 1e6; });
  return late;
}

void WatchingSink::forget() {
  board_->noted.store(0, std::memory_order_release);
  board_->received.store(0, std::memory_order_release);
}

}  // namespace bench
