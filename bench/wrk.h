// wrk, the load generator that others are measured by: a script for it, one run, its best setting.
//
// A run in which anything goes wrong (a broken connection, a timeout, an answer that is no 2xx)
// ends the program: its figures would mean nothing.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/header.h"

namespace bench {

// What a delivery carries beside its body.
const std::vector<net::Header>& delivery_headers();
// What a producer sends with its key. `content_type` as in "application/json".
std::vector<net::Header> producer_headers(std::string_view key, std::string_view content_type);

// Makes wrk POST these bodies in turn. A file that is gone with this object.
class WrkScript {
 public:
  WrkScript(const std::vector<net::Header>& headers, const std::vector<std::string>& bodies);
  ~WrkScript();
  WrkScript(const WrkScript&) = delete;
  WrkScript& operator=(const WrkScript&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/postrider_wrk_XXXXXX";
  int descriptor_ = -1;
};

struct WrkOptions {
  int connections = 64;
  int seconds = 3;
  std::optional<int> processor;  // none: wherever the system likes
};

struct WrkRun {
  double requests = 0;  // answered
  double wall_seconds = 0;
  double per_second() const { return requests / wall_seconds; }
};

WrkRun run_wrk(const std::string& url, const WrkScript& script, const WrkOptions& options);

// The number of connections with which `rate_with` is highest.
int best_connections(std::span<const int> choices, const std::function<double(int)>& rate_with);

}  // namespace bench
