#include "bench/served.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "bench/payloads.h"
#include "client/api_client.h"

namespace bench {
namespace {

constexpr std::string_view kListens = "listens on http://127.0.0.1:";
constexpr base::Duration kLookAgain = base::Duration::ms(1);

std::string server_binary() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "postrider";
}

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Served::Served(std::string directory, const std::vector<std::string>& settings)
    : directory_(std::move(directory)) {
  std::filesystem::remove_all(directory_);
  std::filesystem::create_directories(directory_);
  std::array<int, 2> pipe_ends{};
  CHECK_EQ(pipe2(pipe_ends.data(), O_CLOEXEC), 0);
  const int64_t begin = nanoseconds_now();
  pid_ = fork();
  CHECK(pid_ >= 0);
  if (pid_ == 0) {
    run(settings, pipe_ends[1]);
  }
  close(pipe_ends[1]);
  output_ = pipe_ends[0];
  pid_descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
  CHECK(pid_descriptor_ >= 0);
  wait_until_listening(output_);
  start_seconds_ = static_cast<double>(nanoseconds_now() - begin) / 1e9;
  key_ = content_of(directory_ + "/data/admin.key");
  key_.erase(key_.find_last_not_of(" \n") + 1);
}

Served::~Served() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  close(pid_descriptor_);
  close(output_);
  std::filesystem::remove_all(directory_);
}

// The child: becomes the server.
void Served::run(const std::vector<std::string>& settings, int output) const {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int log = open(log_file().c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  dup2(output, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  std::vector<std::string> words = {
      server_binary(), "serve", "--dev", "--listen", "127.0.0.1:0", "--data", directory_ + "/data"};
  words.insert(words.end(), settings.begin(), settings.end());
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execv(arguments.front(), arguments.data());
  std::perror(arguments.front());
  _exit(1);
}

void Served::wait_until_listening(int output) {
  std::string text;
  for (;;) {
    const size_t place = text.find(kListens);
    if (place != std::string::npos && text.find('\n', place) != std::string::npos) {
      const char* const digits = text.data() + place + kListens.size();
      CHECK(std::from_chars(digits, text.data() + text.size(), port_).ec == std::errc());
      return;
    }
    std::array<char, 4096> buffer{};
    const ssize_t got = read(output, buffer.data(), buffer.size());
    if (got <= 0) {
      fail("it did not start");
    }
    text.append(buffer.data(), static_cast<size_t>(got));
  }
}

void Served::fail(std::string_view why) const {
  fmt::print(stderr, "postrider serve: {}\n{}", why, content_of(log_file()));
  std::_Exit(1);
}

std::string Served::url(std::string_view path) const {
  return fmt::format("http://127.0.0.1:{}{}", port_, path);
}

double Served::cpu_seconds() const {
  clockid_t clock{};
  CHECK_EQ(clock_getcpuclockid(pid_, &clock), 0);
  timespec time{};
  CHECK_EQ(clock_gettime(clock, &time), 0);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double Served::resident_mib() const {
  std::ifstream status(fmt::format("/proc/{}/status", pid_));
  for (std::string word; status >> word;) {
    double kib = 0;
    if (word == "VmRSS:" && status >> kib) {
      return kib / 1024;
    }
  }
  fail("it has no memory");
}

size_t Served::descriptors() const {
  const std::filesystem::directory_iterator open(fmt::format("/proc/{}/fd", pid_));
  return static_cast<size_t>(std::distance(begin(open), end(open)));
}

void Served::subscribe(size_t topics, uint16_t receiver_port) const {
  const auto client = *client::ApiClient::make(url(""), key_);
  for (size_t topic = 0; topic < topics; ++topic) {
    const auto answer =
        client->post("/v1/subscriptions", "application/json",
                     fmt::format(R"({{"url":"http://127.0.0.1:{}/hook/{}","type":"{}"}})",
                                 receiver_port, topic, event_type(topic)));
    CHECK(answer.has_value());
    CHECK_EQ(answer->status, 201);
  }
}

bool Served::wait_until(const std::function<bool()>& condition, base::Duration patience) const {
  const int64_t end = nanoseconds_now() + patience.count_ms() * 1'000'000;
  while (!condition()) {
    if (nanoseconds_now() > end) {
      return false;
    }
    leave_alone_for(kLookAgain);
  }
  return true;
}

void Served::leave_alone_for(base::Duration length) const {
  if (ends_within(length)) {
    fail("it ended by itself");
  }
}

bool Served::ends_within(base::Duration patience) const {
  pollfd end{.fd = pid_descriptor_, .events = POLLIN, .revents = 0};
  return poll(&end, 1, static_cast<int>(patience.count_ms())) > 0;
}

}  // namespace bench
