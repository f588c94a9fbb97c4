#include "server/command.h"

#include <fmt/core.h>

#include <boost/asio/signal_set.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include "config/command.h"
#include "config/load.h"
#include "observe/log.h"
#include "secrets/core_dumps.h"
#include "server/descriptors.h"
#include "server/notify.h"
#include "server/server.h"

namespace server {
namespace {

using observe::Level;
using observe::log;

constexpr int kExitDone = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr std::string_view kHelp = "--help";
constexpr size_t kOwnDescriptors = 1024;  // of the store and the like

void print_help() {
  fmt::print(
      "Runs the delivery server until it gets SIGTERM or SIGINT.\n\n"
      "Usage: postrider serve [settings]\n\n"
      "Without any setting it keeps its data in ./postrider-data and listens on 127.0.0.1:8080.\n"
      "--dev allows receivers on this machine. SIGHUP reads the configuration again.\n\n{}",
      config::settings_help());
}

// What `postrider publish` must be told, unless it finds out by itself.
std::string publish_options(const config::Settings& settings, const std::string& listens) {
  const config::Settings standard;
  std::string options;
  if (listens != standard.listen.to_string()) {
    options += fmt::format(" --server http://{}", listens);
  }
  if (settings.store.directory != standard.store.directory) {
    options += fmt::format(" --key \"$(cat {}/admin.key)\"", settings.store.directory);
  }
  return options;
}

// What a person at the screen needs to go on. Programs read the log.
void print_welcome(const config::Settings& settings, const Started& started) {
  const std::string& directory = settings.store.directory;
  const std::string listens =
      net::SocketAddress{.address = settings.listen.address, .port = started.port}.to_string();
  if (started.first_start.has_value()) {
    fmt::print(
        "This is the first start in {0}. The admin key, which is shown this once and kept in\n"
        "{1} (readable by you alone):\n\n    {2}\n\n",
        directory, started.first_start->key_file, started.first_start->admin_key.text());
  }
  fmt::print("Postrider listens on http://{}, data in {}.\n", listens, directory);
  if (settings.is_dev) {
    fmt::print(
        "\nTo see a webhook, in another terminal:\n\n"
        "    {3} listen --port 9000 &\n"
        "    curl -H \"Authorization: Bearer $(cat {0}/admin.key)\" -H 'Content-Type: "
        "application/json' \\\n"
        "      http://{1}/v1/subscriptions -d '{{\"url\": \"http://127.0.0.1:9000/\"}}'\n"
        "    {3} publish{2} --type order.created --data '{{\"order\": 42}}'\n\n",
        directory, listens, publish_options(settings, listens), program_invocation_name);
  }
  std::fflush(stdout);
}

void make_room_for_connections(const config::Settings& settings) {
  const uint64_t wanted = settings.http.connections_max + settings.http.refused_connections_max +
                          settings.client.connections_max + kOwnDescriptors;
  const uint64_t allowed = make_room_for_descriptors(wanted);
  if (allowed < wanted) {
    log(Level::kWarn, "fewer descriptors are allowed than the settings may need",
        {{"allowed", allowed},
         {"needed", wanted},
         {"hint", "raise LimitNOFILE of the service, or the hard limit of ulimit -n"}});
  }
}

class Run {
 public:
  Run(config::Inputs inputs, const config::Settings& settings, std::unique_ptr<Server> server)
      : inputs_(std::move(inputs)),
        settings_(settings),
        server_(std::move(server)),
        ends_(server_->loop().context(), SIGTERM, SIGINT),
        hangups_(server_->loop().context(), SIGHUP) {}

  int run() {
    ends_.async_wait([this](boost::system::error_code error, int /*signal*/) {
      if (!error) {
        server_->drain();
      }
    });
    wait_for_hangup();
    server_->start([this](base::Result<Started> started) { on_started(std::move(started)); });
    server_->loop().run();
    return exit_code_;
  }

 private:
  void on_started(base::Result<Started> started) {
    if (!started.has_value()) {
      log(Level::kError, "the server cannot start", {{"reason", started.error().detail}});
      exit_code_ = kExitFailed;
      server_->loop().stop();
      return;
    }
    print_welcome(settings_, *started);
    log(Level::kInfo, "the server is listening",
        {{"address", settings_.listen.address.to_string()}, {"port", started->port}});
    notify_system("READY=1");
  }

  void wait_for_hangup() {
    hangups_.async_wait([this](boost::system::error_code error, int /*signal*/) {
      if (!error) {
        reload();
        wait_for_hangup();
      }
    });
  }

  void reload() {
    const config::Loaded fresh = config::load(inputs_);
    if (!fresh.problems.empty()) {
      for (const std::string& problem : fresh.problems) {
        log(Level::kError, "the configuration is not taken over", {{"problem", problem}});
      }
      return;
    }
    config::Reloaded reloaded = config::reload(settings_, fresh);
    settings_ = std::move(reloaded.settings);
    observe::set_log_level(settings_.log.level);
    observe::set_log_format(settings_.log.format);
    server_->take_over(settings_);
    for (const std::string& name : reloaded.changed) {
      log(Level::kInfo, "a setting has changed", {{"name", name}});
    }
    for (const std::string& name : reloaded.needs_restart) {
      log(Level::kWarn, "a setting has changed and needs a restart", {{"name", name}});
    }
  }

  config::Inputs inputs_;
  config::Settings settings_;
  std::unique_ptr<Server> server_;
  boost::asio::signal_set ends_;
  boost::asio::signal_set hangups_;
  int exit_code_ = kExitDone;
};

}  // namespace

int command(std::span<char* const> arguments) {
  config::Inputs inputs = config::process_inputs(arguments, {kHelp});
  const config::Loaded loaded = config::load(inputs);
  if (loaded.has_switch(kHelp)) {
    print_help();
    return kExitDone;
  }
  if (!loaded.problems.empty()) {
    fmt::print(stderr, "{}", config::problems_text("serve", loaded));
    return kExitUsage;
  }
  observe::set_log_level(loaded.settings.log.level);
  observe::set_log_format(loaded.settings.log.format);
  if (const auto hidden = secrets::disable_core_dumps(); !hidden.has_value()) {
    log(Level::kWarn, "core dumps cannot be switched off", {{"reason", hidden.error().detail}});
  }
  make_room_for_connections(loaded.settings);
  auto server = Server::open(loaded.settings);
  if (!server.has_value()) {
    fmt::print(stderr, "postrider serve: {}.\n", server.error().detail);
    return kExitFailed;
  }
  return Run(std::move(inputs), loaded.settings, *std::move(server)).run();
}

}  // namespace server
