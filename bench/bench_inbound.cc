// The inbound server beside the least that any server can do: 1 KiB POSTs over keep-alive, answered
// 202 with 100 bytes, sent by wrk. Compared are requests per second of the server's CPU time, ours
// and a bare epoll loop's, in turns, as medians. Then what an idle connection costs in memory.
//
// bench_inbound [--json]

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "bench/bare_server.h"
#include "bench/outbound_sink.h"
#include "bench/wrk.h"
#include "http/server.h"
#include "net/loop.h"

namespace {

constexpr size_t kRounds = 5;
constexpr int kConnections = 64;
constexpr int kRoundSeconds = 3;
constexpr size_t kRequestBody = 1024;
constexpr size_t kAnswerBody = 100;
constexpr size_t kIdleConnections = 10'000;
constexpr std::string_view kIdleRequest = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

// A server in a process of its own, on the first processor; it ends with this object.
class ServerProcess {
 public:
  // `serve` tells its port and never returns.
  explicit ServerProcess(const std::function<void(const std::function<void(uint16_t)>&)>& serve) {
    std::array<int, 2> pipe_ends{};
    CHECK_EQ(pipe(pipe_ends.data()), 0);
    pid_ = fork();
    CHECK(pid_ >= 0);
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      bench::pin_to_processor(0);
      serve([&](uint16_t port) {
        CHECK_EQ(write(pipe_ends[1], &port, sizeof(port)), ssize_t{sizeof(port)});
      });
      _exit(1);
    }
    CHECK_EQ(read(pipe_ends[0], &port_, sizeof(port_)), ssize_t{sizeof(port_)});
    close(pipe_ends[0]);
    close(pipe_ends[1]);
  }
  ~ServerProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  uint16_t port() const { return port_; }

  double cpu_seconds() const {
    clockid_t clock{};
    CHECK_EQ(clock_getcpuclockid(pid_, &clock), 0);
    timespec time{};
    CHECK_EQ(clock_gettime(clock, &time), 0);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
  }

  double anonymous_bytes() const {
    std::ifstream file(fmt::format("/proc/{}/smaps_rollup", pid_));
    for (std::string line; std::getline(file, line);) {
      double kibibytes = 0;
      if (sscanf(line.c_str(), "Anonymous: %lf kB", &kibibytes) == 1) {
        return kibibytes * 1024;
      }
    }
    CHECK(false);
  }

 private:
  int pid_ = -1;
  uint16_t port_ = 0;
};

void serve_ours(const std::function<void(uint16_t)>& tell_port) {
  net::Loop loop;
  http::ServerOptions options;
  options.connections_max = options.connections_per_peer_max = 2 * kIdleConnections;
  http::Site site;
  site.explain = http::explain_as_json;
  site.on_request = [](const http::Request& request, http::Answer answer) {
    const bool is_post = request.method == http::Method::kPost;
    CHECK_EQ(request.body.size(), is_post ? kRequestBody : 0);
    answer.send(
        {.status = 202, .content_type = "application/json", .body = std::string(kAnswerBody, '1')});
  };
  const net::SocketAddress address{.address = net::Address::v4(INADDR_LOOPBACK), .port = 0};
  const auto server = *http::Server::listen(loop, address, options, site);
  tell_port(server->port());
  loop.run();
}

void serve_bare(const std::function<void(uint16_t)>& tell_port) {
  const int listener = bench::listen_on_loopback();
  tell_port(bench::port_of(listener));
  std::string answer;
  http::append_response(
      answer,
      {.status = 202, .content_type = "application/json", .body = std::string(kAnswerBody, '1')},
      {.date = "Sun, 06 Nov 1994 08:49:37 GMT", .request_id = "0123456789abcdef"});
  bench::serve_bare(listener, answer);
}

struct Rate {
  double requests = 0;
  double cpu_seconds = 0;
  double wall_seconds = 0;
  double per_cpu_second() const { return requests / cpu_seconds; }
};

Rate run_wrk(const ServerProcess& server, const bench::WrkScript& script) {
  const double before = server.cpu_seconds();
  const bench::WrkRun run =
      bench::run_wrk(fmt::format("http://127.0.0.1:{}/v1/events", server.port()), script,
                     {.connections = kConnections, .seconds = kRoundSeconds, .processor = 1});
  return {.requests = run.requests,
          .cpu_seconds = server.cpu_seconds() - before,
          .wall_seconds = run.wall_seconds};
}

Rate median(std::vector<Rate> rates) {
  std::ranges::sort(rates, {}, &Rate::per_cpu_second);
  return rates[rates.size() / 2];
}

int connect_to(uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK_EQ(connect(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  return descriptor;
}

// Each has asked something once, and then stays.
double bytes_per_idle_connection() {
  const ServerProcess server(serve_ours);
  std::vector<int> clients;
  const auto add_client = [&] {
    clients.push_back(connect_to(server.port()));
    CHECK_EQ(send(clients.back(), kIdleRequest.data(), kIdleRequest.size(), MSG_NOSIGNAL),
             static_cast<ssize_t>(kIdleRequest.size()));
    std::array<char, 1024> answer{};
    CHECK(recv(clients.back(), answer.data(), answer.size(), 0) > 0);
  };
  add_client();
  const double before = server.anonymous_bytes();
  while (clients.size() <= kIdleConnections) {
    add_client();
  }
  const double after = server.anonymous_bytes();
  std::ranges::for_each(clients, close);
  return (after - before) / static_cast<double>(kIdleConnections);
}

struct Figures {
  Rate ours;
  Rate bare;
  double idle_bytes = 0;
  double ratio() const { return ours.per_cpu_second() / bare.per_cpu_second(); }
};

Figures measure() {
  const bench::WrkScript script(
      bench::producer_headers("pk_2Xh5vQ0m7rC9JcVn1bKd3Tq8Lw6Ye4Za", "application/json"),
      {std::string(kRequestBody, '1')});
  std::vector<Rate> ours;
  std::vector<Rate> bare;
  for (size_t round = 0; round < kRounds; ++round) {
    ours.push_back(run_wrk(ServerProcess(serve_ours), script));
    bare.push_back(run_wrk(ServerProcess(serve_bare), script));
  }
  return {.ours = median(ours), .bare = median(bare), .idle_bytes = bytes_per_idle_connection()};
}

void print_row(std::string_view name, const Rate& rate) {
  fmt::print("{:<22} {:>20.0f} {:>14.2f} {:>14.0f}\n", name, rate.per_cpu_second(),
             rate.cpu_seconds * 1e6 / rate.requests, rate.requests / rate.wall_seconds);
}

void print_table(const Figures& figures) {
  fmt::print("{:<22} {:>20} {:>14} {:>14}\n", "1 KiB POSTs", "per CPU second", "us of CPU each",
             "per second");
  print_row("ours", figures.ours);
  print_row("bare epoll loop", figures.bare);
  fmt::print("\n{:<52} {:>10} {:>10}\n", "goal", "measured", "limit");
  fmt::print("{:<52} {:>10.2f} {:>10}\n", "of the bare loop, at least", figures.ratio(), "0.80");
  fmt::print("{:<52} {:>10.2f} {:>10}\n", "KiB per idle connection, at most",
             figures.idle_bytes / 1024, "2");
}

void print_json(const Figures& figures) {
  fmt::print(
      "{{\"bench\":\"inbound\",\"per_cpu_second\":{:.0f},\"bare_per_cpu_second\":{:.0f},"
      "\"ratio\":{:.3f},\"idle_connections\":{},\"idle_bytes\":{:.0f}}}\n",
      figures.ours.per_cpu_second(), figures.bare.per_cpu_second(), figures.ratio(),
      kIdleConnections, figures.idle_bytes);
}

}  // namespace

int main(int argc, char** argv) {
  const bool wants_json = argc > 1 && std::string_view(argv[1]) == "--json";
  bench::raise_descriptor_limit();
  const Figures figures = measure();
  if (wants_json) {
    print_json(figures);
  } else {
    print_table(figures);
  }
  return 0;
}
