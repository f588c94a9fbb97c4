// A few threads that read for those who must not wait for a disk. What cannot be read now is read
// when it can be; nobody is ever given half an answer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
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

  // Makes its scans while nothing is written; what it returns reads from them, while commits go on.
  // For reads that would keep a commit waiting. What goes wrong is the question's own affair.
  using Question = std::function<std::function<void()>(const Database&)>;

  Readers(uint32_t count, Gate& gate, HealthBoard& board);
  // What has not begun is not read any more, and not answered.
  ~Readers();

  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  void submit(Task task);
  void submit_held(Question question);
  size_t waiting() const;  // that have not begun

 private:
  void run();
  bool read(const Task& task);
  bool read_held(const Question& question);
  void enqueue(std::function<bool()> job);

  Gate& gate_;
  HealthBoard& board_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<bool()>> jobs_;  // false: not done, try again
  bool is_stopping_ = false;
  std::atomic<bool> has_failed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace store
