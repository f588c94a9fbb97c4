#include "bench/wrk.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/check.h"

namespace bench {
namespace {

constexpr int kAnswerSeconds = 30;

// A long string of Lua, in which nothing needs a backslash. JSON never has this end in it.
std::string quoted(std::string_view text) {
  CHECK(text.find("]==]") == std::string_view::npos);
  return fmt::format("[==[{}]==]", text);
}

std::string script_text(const std::vector<net::Header>& headers,
                        const std::vector<std::string>& bodies) {
  std::string text = "wrk.method = 'POST'\n";
  for (const net::Header& header : headers) {
    text += fmt::format("wrk.headers['{}'] = '{}'\n", header.name, header.value);
  }
  if (bodies.size() == 1) {
    return text + "wrk.body = " + quoted(bodies.front()) + "\n";
  }
  // Requests are made once, so that a turn costs wrk as little as sending always the same.
  text += "local bodies = {\n";
  for (const std::string& body : bodies) {
    text += quoted(body) + ",\n";
  }
  text +=
      "}\nlocal requests = {}\nlocal last = 0\n"
      "init = function(args)\n"
      "  for index, body in ipairs(bodies) do\n"
      "    requests[index] = wrk.format(nil, nil, nil, body)\n"
      "  end\n"
      "end\n"
      "request = function()\n"
      "  last = last % #requests + 1\n"
      "  return requests[last]\n"
      "end\n";
  return text;
}

}  // namespace

const std::vector<net::Header>& delivery_headers() {
  static const std::vector<net::Header> kHeaders = {
      {.name = "User-Agent", .value = "Postrider/0.1.0"},
      {.name = "Content-Type", .value = "application/json"},
      {.name = "webhook-id", .value = "evt_2Xh5vQ0m7rC9JcVn1bKd3T"},
      {.name = "webhook-timestamp", .value = "1794780000"},
      {.name = "webhook-signature", .value = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="},
      {.name = "postrider-attempt", .value = "1"},
  };
  return kHeaders;
}

std::vector<net::Header> producer_headers(std::string_view key, std::string_view content_type) {
  return {
      {.name = "Content-Type", .value = std::string(content_type)},
      {.name = "Authorization", .value = fmt::format("Bearer {}", key)},
      {.name = "User-Agent", .value = "producer/1.0"},
      {.name = "Accept", .value = "*/*"},
  };
}

WrkScript::WrkScript(const std::vector<net::Header>& headers,
                     const std::vector<std::string>& bodies) {
  descriptor_ = mkstemp(path_.data());
  CHECK(descriptor_ >= 0);
  const std::string text = script_text(headers, bodies);
  CHECK_EQ(write(descriptor_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

WrkScript::~WrkScript() {
  close(descriptor_);
  unlink(path_.c_str());
}

WrkRun run_wrk(const std::string& url, const WrkScript& script, const WrkOptions& options) {
  const std::string place =
      options.processor ? fmt::format("taskset -c {} ", *options.processor) : "";
  const std::string command =
      fmt::format("{}wrk -t1 -c{} -d{}s --timeout {}s -s {} {}", place, options.connections,
                  options.seconds, kAnswerSeconds, script.path(), url);
  FILE* output = popen(command.c_str(), "r");
  CHECK(output != nullptr);
  WrkRun run;
  std::array<char, 512> line{};
  while (fgets(line.data(), line.size(), output) != nullptr) {
    double requests = 0;
    double seconds = 0;
    if (sscanf(line.data(), " %lf requests in %lfs", &requests, &seconds) == 2) {
      run = {.requests = requests, .wall_seconds = seconds};
    }
    const std::string_view text(line.data());
    CHECK(text.find("Socket errors") == std::string_view::npos);
    CHECK(text.find("Non-2xx") == std::string_view::npos);
  }
  CHECK_EQ(pclose(output), 0);
  CHECK(run.requests > 0);
  return run;
}

int best_connections(std::span<const int> choices, const std::function<double(int)>& rate_with) {
  CHECK(!choices.empty());
  int best = choices.front();
  double best_rate = 0;
  for (const int connections : choices) {
    const double rate = rate_with(connections);
    if (rate > best_rate) {
      best_rate = rate;
      best = connections;
    }
  }
  return best;
}

}  // namespace bench
