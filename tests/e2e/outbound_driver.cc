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
#include <fstream>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
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
  fmt::print(stderr, "'{}': possible are --dns HOST:PORT, --allow CIDR, --allow-link-local\n", word);
  std::exit(2);
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
