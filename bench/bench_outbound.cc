// What a POST costs the client: 1 KiB bodies over 64 kept connections, plain and TLS, beside wrk
// posting the same bytes at the same sink in the same run. And what an idle connection weighs.
//
// The measure is requests per second of the client's own CPU time (user and system, by getrusage),
// so that neither the sink nor a busy machine blurs it. Ours and wrk take turns; the medians count.
// Bytes per connection are the growth of our anonymous resident memory, by /proc/self/smaps_rollup.

#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "bench/outbound_sink.h"
#include "bench/wrk.h"
#include "net/header.h"
#include "net/http_client.h"
#include "net/loop.h"
#include "net/test_certificates.h"

namespace {

using base::Duration;

constexpr int kRounds = 5;
constexpr int kConnections = 64;
constexpr int kRoundSeconds = 3;
constexpr Duration kRoundLength = Duration::seconds(kRoundSeconds);
constexpr size_t kBodySize = 1024;
constexpr uint64_t kOwners = 1000;  // with ten idle connections each
constexpr uint64_t kConnectionsPerOwner = 10;

struct Rate {
  double requests = 0;
  double cpu_seconds = 0;
  double wall_seconds = 0;
  double per_cpu_second() const { return requests / cpu_seconds; }
};

struct Comparison {
  Rate ours;  // medians
  Rate wrk;
  double ratio() const { return ours.per_cpu_second() / wrk.per_cpu_second(); }
};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double cpu_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

// Runs `work` in a process of its own, so that nothing of one measurement is left in the next.
template <class Figures>
Figures in_child(const std::function<Figures()>& work) {
  std::array<int, 2> pipe_ends{};
  CHECK_EQ(pipe(pipe_ends.data()), 0);
  const int pid = fork();
  CHECK(pid >= 0);
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    bench::pin_to_processor(0);
    const Figures figures = work();
    CHECK_EQ(write(pipe_ends[1], &figures, sizeof(figures)), ssize_t{sizeof(figures)});
    _exit(0);
  }
  Figures figures{};
  close(pipe_ends[1]);
  CHECK_EQ(read(pipe_ends[0], &figures, sizeof(figures)), ssize_t{sizeof(figures)});
  close(pipe_ends[0]);
  waitpid(pid, nullptr, 0);
  return figures;
}

struct Target {
  std::string url;
  std::string root_pem;
};

class Client {
 public:
  explicit Client(const Target& target) : url_(*net::parse_url(target.url)) {
    net::ClientOptions options;
    options.guard.allow = {*net::Cidr::parse("127.0.0.0/8")};
    options.guard.any_port = true;
    options.pool.idle_per_key_max = kConnections;
    options.pool.idle_max = 20'000;
    options.pool.idle_timeout = Duration::hours(1);
    options.connections_max = 20'000;
    options.tls = *net::TlsIdentity::make(**net::TlsRoots::from_pem(target.root_pem));
    client_ = *net::HttpClient::make(loop_, options);
  }

  Rate post_for(Duration length) {
    const base::Instant start = loop_.now();
    end_ = start + length;
    const double before = cpu_seconds(RUSAGE_SELF);
    for (int number = 0; number < kConnections; ++number) {
      post_again();
    }
    loop_.run();
    return {.requests = static_cast<double>(posted_),
            .cpu_seconds = cpu_seconds(RUSAGE_SELF) - before,
            .wall_seconds = static_cast<double>((loop_.now() - start).count_ms()) / 1000};
  }

  // Leaves as many connections idle for each owner.
  void open_connections(uint64_t owners, uint64_t first_owner) {
    for (uint64_t owner = first_owner; owner < first_owner + owners; ++owner) {
      uint64_t done = 0;
      for (uint64_t number = 0; number < kConnectionsPerOwner; ++number) {
        client_->post(request(owner), [&](const net::Reply& reply) {
          CHECK(std::holds_alternative<net::Response>(reply.ending));
          done += 1;
        });
      }
      CHECK(loop_.run_until([&] { return done == kConnectionsPerOwner; }, Duration::minutes(1)));
    }
  }

  size_t idle() const { return client_->idle_connections(); }

 private:
  net::Request request(uint64_t owner) const {
    net::Request request;
    request.url = url_;
    for (const net::Header& header : bench::delivery_headers()) {
      request.headers.add(header.name, header.value);
    }
    request.body = body_;
    request.deadline = Duration::seconds(30);
    request.pool_owner = owner;
    return request;
  }

  void post_again() {
    in_flight_ += 1;
    client_->post(request(1), [this](const net::Reply& reply) {
      CHECK(std::holds_alternative<net::Response>(reply.ending));
      in_flight_ -= 1;
      posted_ += 1;
      // The clock is read now and then only; it is not what is measured.
      is_over_ = is_over_ || (posted_ % 64 == 0 && loop_.now() >= end_);
      if (!is_over_) {
        post_again();
      } else if (in_flight_ == 0) {
        loop_.stop();
      }
    });
  }

  net::Loop loop_;
  std::unique_ptr<net::HttpClient> client_;
  net::Url url_;
  std::shared_ptr<const std::string> body_ = std::make_shared<const std::string>(kBodySize, 'x');
  base::Instant end_;
  uint64_t posted_ = 0;
  int in_flight_ = 0;
  bool is_over_ = false;
};

Rate run_wrk(const Target& target, const bench::WrkScript& script) {
  const double before = cpu_seconds(RUSAGE_CHILDREN);
  const bench::WrkRun run =
      bench::run_wrk(target.url, script, {.connections = kConnections, .seconds = kRoundSeconds});
  return {.requests = run.requests,
          .cpu_seconds = cpu_seconds(RUSAGE_CHILDREN) - before,
          .wall_seconds = run.wall_seconds};
}

Rate median(std::vector<Rate> rates) {
  std::ranges::sort(rates, {}, &Rate::per_cpu_second);
  return rates[rates.size() / 2];
}

Comparison compare(const Target& target) {
  const bench::WrkScript script(bench::delivery_headers(), {std::string(kBodySize, 'x')});
  std::vector<Rate> ours;
  std::vector<Rate> wrk;
  for (int round = 0; round < kRounds; ++round) {
    ours.push_back(in_child<Rate>([&] { return Client(target).post_for(kRoundLength); }));
    wrk.push_back(in_child<Rate>([&] { return run_wrk(target, script); }));
  }
  return {.ours = median(ours), .wrk = median(wrk)};
}

double anonymous_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    double kibibytes = 0;
    if (sscanf(line.c_str(), "Anonymous: %lf kB", &kibibytes) == 1) {
      return kibibytes * 1024;
    }
  }
  CHECK(false);
}

double bytes_per_connection(const Target& target) {
  return in_child<double>([&] {
    Client client(target);
    client.open_connections(1, 1);
    const double before = anonymous_bytes();
    client.open_connections(kOwners, 2);
    CHECK_EQ(client.idle(), (kOwners + 1) * kConnectionsPerOwner);
    return (anonymous_bytes() - before) / static_cast<double>(kOwners * kConnectionsPerOwner);
  });
}

struct Figures {
  Comparison plain;
  Comparison tls;
  double plain_bytes = 0;
  double tls_bytes = 0;
};

void print_row(std::string_view name, const Rate& rate) {
  fmt::print("{:<22} {:>20.0f} {:>14.2f} {:>14.0f}\n", name, rate.per_cpu_second(),
             rate.cpu_seconds * 1e6 / rate.requests, rate.requests / rate.wall_seconds);
}

void print_table(const Figures& figures) {
  fmt::print("{:<22} {:>20} {:>14} {:>14}\n", "1 KiB POSTs", "per CPU second", "us of CPU each",
             "per second");
  print_row("ours, plain", figures.plain.ours);
  print_row("wrk, plain", figures.plain.wrk);
  print_row("ours, TLS", figures.tls.ours);
  print_row("wrk, TLS", figures.tls.wrk);
  fmt::print("\n{:<52} {:>10} {:>10}\n", "goal", "measured", "limit");
  const auto goal = [](std::string_view name, double measured, std::string_view limit) {
    fmt::print("{:<52} {:>10.2f} {:>10}\n", name, measured, limit);
  };
  goal("plain, of wrk, at least", figures.plain.ratio(), "0.9");
  goal("TLS, of wrk, at least", figures.tls.ratio(), "0.8");
  goal("KiB per idle connection, plain, at most", figures.plain_bytes / 1024, "8");
  goal("KiB per idle connection, TLS, at most", figures.tls_bytes / 1024, "40");
}

void print_json(const Figures& figures) {
  fmt::print(
      "{{\"bench\":\"outbound\",\"plain_per_cpu_second\":{:.0f},\"wrk_plain_per_cpu_second\":{:.0f}"
      ","
      "\"plain_ratio\":{:.3f},\"tls_per_cpu_second\":{:.0f},\"wrk_tls_per_cpu_second\":{:.0f},"
      "\"tls_ratio\":{:.3f},\"idle_connections\":{},\"plain_idle_bytes\":{:.0f},"
      "\"tls_idle_bytes\":{:.0f}}}\n",
      figures.plain.ours.per_cpu_second(), figures.plain.wrk.per_cpu_second(),
      figures.plain.ratio(), figures.tls.ours.per_cpu_second(), figures.tls.wrk.per_cpu_second(),
      figures.tls.ratio(), kOwners * kConnectionsPerOwner, figures.plain_bytes, figures.tls_bytes);
}

}  // namespace

int main(int argc, char** argv) {
  const bool wants_json = argc == 2 && std::string_view(argv[1]) == "--json";
  if (argc > 1 && !wants_json) {
    fmt::print(stderr, "usage: bench_outbound [--json]\n");
    return 2;
  }
  bench::raise_descriptor_limit();
  const net::TestCertificate certificate = net::make_certificate({});
  const bench::SinkProcess sink({.certificate = certificate.pem(), .key = certificate.key_pem()});
  const Target plain{.url = fmt::format("http://127.0.0.1:{}/hook", sink.ports().plain),
                     .root_pem = certificate.pem()};
  const Target tls{.url = fmt::format("https://127.0.0.1:{}/hook", sink.ports().tls),
                   .root_pem = certificate.pem()};
  const Figures figures{.plain = compare(plain),
                        .tls = compare(tls),
                        .plain_bytes = bytes_per_connection(plain),
                        .tls_bytes = bytes_per_connection(tls)};
  if (wants_json) {
    print_json(figures);
  } else {
    print_table(figures);
  }
  return 0;
}
