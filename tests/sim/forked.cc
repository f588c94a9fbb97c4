#include "tests/sim/forked.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <vector>

#include "base/check.h"

namespace swarm {
namespace {

struct Worker {
  pid_t process = 0;
  int pipe = -1;
  std::string unfinished;
  std::string last_line;
};

void say_all(int descriptor, const std::string& text) {
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(descriptor, text.data() + written, text.size() - written);
    CHECK(count > 0);
    written += static_cast<size_t>(count);
  }
}

Worker start(uint64_t number, const std::function<void(uint64_t, const Say&)>& work) {
  std::array<int, 2> ends{};
  CHECK_EQ(pipe(ends.data()), 0);
  std::fflush(nullptr);
  const pid_t process = fork();
  CHECK_GE(process, 0);
  if (process == 0) {
    close(ends[0]);
    work(number, [&](const std::string& line) { say_all(ends[1], line); });
    std::fflush(nullptr);
    _exit(0);
  }
  close(ends[1]);
  return {.process = process, .pipe = ends[0]};
}

// False when the worker has closed its end.
bool listen(Worker& worker, const std::function<void(const std::string&)>& heard) {
  std::array<char, 4096> buffer{};
  const ssize_t count = read(worker.pipe, buffer.data(), buffer.size());
  if (count <= 0) {
    return false;
  }
  worker.unfinished.append(buffer.data(), static_cast<size_t>(count));
  size_t end = 0;
  while ((end = worker.unfinished.find('\n')) != std::string::npos) {
    worker.last_line = worker.unfinished.substr(0, end);
    worker.unfinished.erase(0, end + 1);
    heard(worker.last_line);
  }
  return true;
}

}  // namespace

void run_forked(uint64_t count, const std::function<void(uint64_t, const Say&)>& work,
                const std::function<void(const std::string&)>& heard,
                const std::function<void(const std::string&, int)>& died) {
  std::vector<Worker> workers;
  workers.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    workers.push_back(start(i, work));
  }
  while (!workers.empty()) {
    std::vector<pollfd> polls;
    polls.reserve(workers.size());
    for (const Worker& worker : workers) {
      polls.push_back({.fd = worker.pipe, .events = POLLIN, .revents = 0});
    }
    CHECK_GE(poll(polls.data(), polls.size(), -1), 0);
    for (size_t i = workers.size(); i-- > 0;) {
      if (polls[i].revents == 0 || listen(workers[i], heard)) {
        continue;
      }
      int status = 0;
      waitpid(workers[i].process, &status, 0);
      close(workers[i].pipe);
      if (status != 0) {
        died(workers[i].last_line, status);
      }
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace swarm
