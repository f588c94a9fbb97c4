// Attempts on demand, for the end-to-end tests: reads one JSON object a line from standard input,
// makes the attempt with the production transport, client, guard and resolver, and writes one line
// about how it ended. It adds nothing of its own to what happens between.
//
//   {"id":1,"url":"http://...","body_bytes":64,"deadline_ms":1500,"pool":7,"ca":"root.pem",
//    "cert":"client.pem","key":"client.key"}            pool and the files may be left out
//   {"id":2,"command":"stats"}
//
// Options: --dns HOST:PORT, --allow CIDR (both may be repeated), --allow-link-local. Ports are not
// restricted, because receivers under test get theirs from the system, and because a refused port
// must not hide an address that was not refused.

#include <fmt/core.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/json/src.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <istream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "delivery/http_transport.h"
#include "model/outcome_words.h"
#include "net/loop.h"

namespace {

namespace json = boost::json;

struct Options {
  std::vector<std::string> name_servers;
  net::GuardOptions guard = {.any_port = true, .own_addresses = net::own_addresses()};
};

[[noreturn]] void refuse(std::string_view word) {
  fmt::print(stderr, "'{}': possible are --dns HOST:PORT, --allow CIDR, --allow-link-local\n",
             word);
  std::_Exit(2);
}

Options options_of(const std::vector<std::string>& words) {
  Options options;
  for (size_t at = 0; at < words.size(); ++at) {
    const bool has_value = at + 1 < words.size();
    if (words[at] == "--allow-link-local") {
      options.guard.allow_link_local = true;
    } else if (words[at] == "--dns" && has_value) {
      options.name_servers.push_back(words[++at]);
    } else if (words[at] == "--allow" && has_value) {
      const auto block = net::Cidr::parse(words[++at]);
      if (!block.has_value()) {
        refuse(words[at]);
      }
      options.guard.allow.push_back(*block);
    } else {
      refuse(words[at]);
    }
  }
  return options;
}

int64_t resident_kib() {
  std::ifstream statm("/proc/self/statm");
  int64_t pages = 0;
  int64_t resident = 0;
  statm >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE) / 1024;
}

std::string content_of(std::string_view path) {
  std::ifstream file{std::string(path)};
  CHECK(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

size_t descriptor_count() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    count += 1;
  }
  return count;
}

std::string text_of(const json::object& line, std::string_view name) {
  const json::value* const value = line.if_contains(name);
  return value == nullptr ? std::string() : std::string(value->as_string());
}

int64_t number_of(const json::object& line, std::string_view name) {
  const json::value* const value = line.if_contains(name);
  return value == nullptr ? 0 : value->as_int64();
}

class Driver {
 public:
  Driver(net::Loop& loop, net::HttpClient& client)
      : loop_(loop),
        client_(client),
        transport_(
            loop, client,
            [this](const delivery::AttemptRequest& request, const delivery::PrepareDone& done) {
              done(std::move(prepared_.extract(request.id).mapped()));
            },
            "Postrider/test"),
        input_(loop.context(), dup(STDIN_FILENO)) {
    read_line();
  }

 private:
  // At the end of the input the loop stops.
  void read_line() {
    boost::asio::async_read_until(input_, buffer_, '\n',
                                  [this](const boost::system::error_code& error, size_t /*size*/) {
                                    if (error) {
                                      loop_.stop();
                                      return;
                                    }
                                    std::string line;
                                    std::istream stream(&buffer_);
                                    std::getline(stream, line);
                                    take(json::parse(line).as_object());
                                    read_line();
                                  });
  }

  void take(const json::object& line) {
    const int64_t id = number_of(line, "id");
    if (text_of(line, "command") == "stats") {
      return answer({{"id", id},
                     {"rss_kib", resident_kib()},
                     {"in_flight", in_flight_},
                     {"connections", client_.open_connections()},
                     {"idle", client_.idle_connections()},
                     {"descriptors", descriptor_count()}});
    }
    auto url = net::parse_url(text_of(line, "url"));
    if (!url.has_value()) {
      return answer({{"id", id},
                     {"kind", "url_refused"},
                     {"status", 0},
                     {"reason", ""},
                     {"words", url.error().detail},
                     {"retry_after_s", nullptr},
                     {"elapsed_ms", 0}});
    }
    attempt(id, line, *std::move(url));
  }

  void attempt(int64_t id, const json::object& line, net::Url url) {
    const auto attempt_id = static_cast<delivery::AttemptId>(id);
    delivery::PreparedRequest prepared;
    prepared.url = std::move(url);
    prepared.body = body_of(static_cast<size_t>(number_of(line, "body_bytes")));
    prepared.webhook_id = "msg_" + std::to_string(id);
    prepared.pool_owner = static_cast<uint64_t>(number_of(line, "pool"));
    prepared.tls = identity_of(line);
    prepared_.emplace(attempt_id, std::move(prepared));

    delivery::AttemptRequest request;
    request.id = attempt_id;
    request.deadline = base::Duration::ms(number_of(line, "deadline_ms"));
    in_flight_ += 1;
    transport_.send(request, [this, id, began = loop_.now()](const model::Outcome& outcome) {
      in_flight_ -= 1;
      ended(id, outcome, loop_.now() - began);
    });
  }

  void ended(int64_t id, const model::Outcome& outcome, base::Duration elapsed) {
    json::value retry_after = nullptr;
    if (outcome.retry_after.has_value()) {
      retry_after = outcome.retry_after->count_ms() / 1000;
    }
    answer({{"id", id},
            {"kind", model::name_of(outcome.kind)},
            {"status", outcome.status},
            {"reason", model::name_of(outcome.reason)},
            {"words", model::describe(outcome)},
            {"retry_after_s", retry_after},
            {"elapsed_ms", elapsed.count_ms()},
            {"remote", outcome.detail->remote_address},
            {"body_kept", outcome.detail->response_body.size()}});
  }

  // One for each size: the memory that counts is what an attempt costs, not what it sends.
  std::shared_ptr<const std::string> body_of(size_t size) {
    auto& body = bodies_[size];
    if (body == nullptr) {
      body = std::make_shared<const std::string>(size, 'x');
    }
    return body;
  }

  // One for each set of files, as a subscription keeps its own from attempt to attempt.
  std::shared_ptr<const net::TlsIdentity> identity_of(const json::object& line) {
    const std::string roots_path = text_of(line, "ca");
    if (roots_path.empty()) {
      return nullptr;
    }
    auto& identity = identities_[{roots_path, text_of(line, "cert")}];
    if (identity == nullptr) {
      const auto roots = net::TlsRoots::from_pem(content_of(roots_path)).value();
      identity = text_of(line, "cert").empty()
                     ? net::TlsIdentity::make(*roots).value()
                     : net::TlsIdentity::make(*roots, {content_of(text_of(line, "cert")),
                                                       content_of(text_of(line, "key"))})
                           .value();
    }
    return identity;
  }

  static void answer(const json::object& line) {
    const std::string text = json::serialize(line) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

  net::Loop& loop_;
  net::HttpClient& client_;
  std::map<delivery::AttemptId, base::Result<delivery::PreparedRequest>> prepared_;
  std::map<size_t, std::shared_ptr<const std::string>> bodies_;
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const net::TlsIdentity>>
      identities_;
  int64_t in_flight_ = 0;
  delivery::HttpTransport transport_;
  boost::asio::posix::stream_descriptor input_;
  boost::asio::streambuf buffer_;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = options_of({argv + 1, argv + argc});
  net::Loop loop;
  const auto client = net::HttpClient::make(
      loop, {.resolver = {.servers = options.name_servers}, .guard = options.guard});
  if (!client.has_value()) {
    fmt::print(stderr, "{}\n", client.error().detail);
    return 1;
  }
  const Driver driver(loop, **client);
  loop.run();
  return 0;
}
