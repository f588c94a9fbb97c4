// A few threads that read for those who must not wait for a disk. What cannot be read now is read
// when it can be; nobody is ever given half an answer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"
#include "store/gate.h"
#include "store/health_board.h"
#include "store/tables.h"

namespace store {

class Readers {
 public:
  // Reads and answers; an error means that it must be tried again.
  using Task = std::function<base::Result<bool>(const View&)>;

  Readers(uint32_t count, Gate& gate, HealthBoard& board);
  // What has not begun is not read any more, and not answered.
  ~Readers();

  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  void submit(Task task);

 private:
  void run();
  bool read(const Task& task);

  Gate& gate_;
  HealthBoard& board_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;
  bool is_stopping_ = false;
  std::atomic<bool> has_failed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace store
