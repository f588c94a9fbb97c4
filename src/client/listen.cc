// `postrider listen`: a receiver that shows what it gets.

#include <fmt/format.h>

#include <array>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <cstdio>

#include "client/command.h"
#include "client/command_line.h"
#include "client/receiver.h"
#include "text/bounded.h"
#include "text/json_writer.h"

namespace client {
namespace {

constexpr int kExitDone = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

constexpr std::array kOptions = {
    OptionRow{.name = "--port",
              .value = "PORT",
              .help = "Where to listen on 127.0.0.1; 0 picks a free one.",
              .fallback = "9000"},
    OptionRow{.name = "--secret",
              .value = "SECRET",
              .help = "Verify signatures by this whsec_ secret or whpk_ key; may be repeated.",
              .fallback = "not verified",
              .repeats = true},
    OptionRow{.name = "--status", .value = "CODE", .help = "What to answer.", .fallback = "200"},
    OptionRow{.name = "--delay",
              .value = "TIME",
              .help = "How long to wait with the answer.",
              .fallback = "0"},
    OptionRow{.name = "--fail-first",
              .value = "N",
              .help = "Answer 503 to so many webhooks before.",
              .fallback = "0"},
};

constexpr CommandRow kRow = {
    .name = "listen",
    .purpose = "Receives webhooks on this machine, verifies their signatures and prints them.",
    .options = kOptions,
    .remarks =
        "Example:\n"
        "  postrider listen --port 9000 --secret whsec_... --fail-first 2\n"
        "\n"
        "Runs until it gets SIGINT (Ctrl-C) or SIGTERM.\n",
};

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int refuse(int exit_code, std::string_view detail) {
  fmt::print(stderr, "postrider listen: {}{}\n", detail, detail.ends_with('?') ? "" : ".");
  return exit_code;
}

base::Result<int64_t> number_of(const Words& words, std::string_view name, ::text::Bounds bounds,
                                int64_t fallback) {
  const std::optional<std::string> text = words.find(name);
  if (!text.has_value()) {
    return fallback;
  }
  const base::Result<int64_t> number = ::text::parse_integer(*text, bounds);
  if (!number.has_value()) {
    return base::fail(base::ErrorCode::kInvalid,
                      fmt::format("{}: '{}' {}", name, *text, number.error().detail));
  }
  return *number;
}

base::Result<base::Duration> delay_of(const Words& words) {
  const std::string text = words.find("--delay").value_or("0");
  const auto delay =
      ::text::parse_duration(text, {.min = 0, .max = base::Duration::hours(1).count_ms()});
  if (!delay.has_value()) {
    return base::fail(base::ErrorCode::kInvalid,
                      fmt::format("--delay: '{}' {}", text, delay.error().detail));
  }
  return *delay;
}

base::Result<ReceiverOptions> options_of(const Words& words) {
  ReceiverOptions options{.prints_json = words.has("--json")};
  TRY(const int64_t port, number_of(words, "--port", {.min = 0, .max = UINT16_MAX}, options.port));
  TRY(const int64_t status, number_of(words, "--status", {.min = 200, .max = 599}, options.status));
  TRY(const int64_t fail_first, number_of(words, "--fail-first", {.min = 0}, 0));
  TRY(options.delay, delay_of(words));
  options.port = static_cast<uint16_t>(port);
  options.status = static_cast<uint16_t>(status);
  options.fail_first = static_cast<uint64_t>(fail_first);
  return options;
}

base::Result<std::optional<delivery::Verifier>> verifier_of(const Words& words) {
  const std::vector<std::string_view> secrets = words.all("--secret");
  if (secrets.empty()) {
    return std::optional<delivery::Verifier>();
  }
  auto verifier = delivery::Verifier::make(secrets);
  if (!verifier.has_value()) {
    return base::fail(verifier.error().code, "--secret: " + verifier.error().detail);
  }
  return std::optional(std::move(*verifier));
}

void print_start(const Receiver& receiver, bool prints_json) {
  const std::string url = fmt::format("http://127.0.0.1:{}/", receiver.port());
  if (!prints_json) {
    print(fmt::format("Listening on {}. Ctrl-C ends it.\n", url));
    return;
  }
  std::string text;
  ::text::JsonWriter(text).begin_object().field("listening", url).end_object();
  print(text + "\n");
}

}  // namespace

int listen(std::span<char* const> arguments) {
  const base::Result<Words> words = parse(kRow, arguments);
  if (!words.has_value()) {
    return refuse(kExitUsage, words.error().detail);
  }
  if (words->has("--help")) {
    print(help_text(kRow));
    return kExitDone;
  }
  const base::Result<ReceiverOptions> options = options_of(*words);
  auto verifier = verifier_of(*words);
  if (!options.has_value() || !verifier.has_value()) {
    return refuse(kExitUsage,
                  options.has_value() ? verifier.error().detail : options.error().detail);
  }
  net::Loop loop;
  const auto receiver = Receiver::listen(loop, *options, std::move(*verifier), print);
  if (!receiver.has_value()) {
    return refuse(kExitFailed, receiver.error().detail);
  }
  boost::asio::signal_set signals(loop.context(), SIGINT, SIGTERM);
  signals.async_wait([&](const boost::system::error_code& error, int /*signal*/) {
    if (!error) {
      (*receiver)->stop([&loop] { loop.stop(); });
    }
  });
  print_start(**receiver, options->prints_json);
  loop.run();
  return kExitDone;
}

}  // namespace client
