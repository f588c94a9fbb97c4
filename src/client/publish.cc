// `postrider publish`: one event from the command line, or many from a file or the standard input.

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>

#include "client/api_client.h"
#include "client/command.h"
#include "client/command_line.h"
#include "client/receipt.h"
#include "match/json.h"
#include "secrets/key_file.h"
#include "text/json_writer.h"

namespace client {
namespace {

constexpr int kExitDone = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

constexpr std::string_view kServer = "http://127.0.0.1:8080";
constexpr std::string_view kPath = "/v1/events";
// Per request; the server takes 10 000 lines and 16 MiB.
constexpr size_t kLinesMax = 1000;
constexpr size_t kBytesMax = size_t{4} << 20U;

constexpr std::array kOptions = {
    OptionRow{.name = "--type", .value = "TYPE", .help = "Publish one event of this type."},
    OptionRow{.name = "--object-code", .value = "CODE", .help = "The kind of object it is about."},
    OptionRow{.name = "--object-id", .value = "ID", .help = "The object it is about."},
    OptionRow{.name = "--id",
              .value = "ID",
              .help = "The event's id; publishing it again changes nothing.",
              .fallback = "the server makes one"},
    OptionRow{.name = "--data", .value = "JSON", .help = "What receivers get.", .fallback = "{}"},
    OptionRow{.name = "--file",
              .value = "FILE",
              .help = "With --type: the data. Without: events, one JSON object on each line."},
    OptionRow{.name = "--server",
              .value = "URL",
              .help = "The server; also POSTRIDER_SERVER.",
              .fallback = kServer},
    OptionRow{.name = "--key",
              .value = "KEY",
              .help = "An API key with the scope publish; also POSTRIDER_KEY.",
              .fallback = "admin.key in the data directory"},
};

constexpr CommandRow kRow = {
    .name = "publish",
    .purpose = "Publishes events, and says which subscriptions want them.",
    .options = kOptions,
    .remarks =
        "Without --type and --file, events are read from the standard input, one JSON object on\n"
        "each line: {\"type\": \"order.created\", \"payload\": {\"order\": 42}}.\n"
        "\n"
        "Example:\n"
        "  postrider publish --type order.created --data '{\"order\": 42}'\n"
        "\n"
        "Exit code: 0 all events were accepted, 1 not all, 2 wrong arguments.\n",
};

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

int refuse(int exit_code, std::string_view detail) {
  fmt::print(stderr, "postrider publish: {}{}\n", detail, detail.ends_with('?') ? "" : ".");
  return exit_code;
}

// Empty counts as not set.
std::optional<std::string> variable(const char* name) {
  const char* const value = ::secure_getenv(name);
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

base::Result<std::string> find_key(const Words& words) {
  if (auto key = words.find("--key")) {
    return *key;
  }
  if (auto key = variable("POSTRIDER_KEY")) {
    return *key;
  }
  const std::string path = variable("POSTRIDER_DATA").value_or("postrider-data") + "/admin.key";
  const base::Result<secrets::SecretBytes> file = secrets::read_private_file(path);
  if (!file.has_value()) {
    return base::fail(base::ErrorCode::kInvalid,
                      fmt::format("there is no key: give --key or POSTRIDER_KEY, or be where {} "
                                  "can be read ({})",
                                  path, file.error().detail));
  }
  const std::string_view text = file->text();
  return std::string(text.substr(0, text.find_first_of(" \r\n")));
}

base::Result<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) {
    return base::fail(base::ErrorCode::kInvalid, fmt::format("--file: '{}' cannot be read", path));
  }
  return text;
}

base::Result<std::string> payload_of(const Words& words) {
  if (words.has("--data") && words.has("--file")) {
    return base::fail(base::ErrorCode::kInvalid, "--data and --file are both given; give one");
  }
  std::string text = words.find("--data").value_or("{}");
  if (const auto path = words.find("--file")) {
    TRY(text, read_file(*path));
  }
  match::JsonParser parser;
  if (const auto value = parser.parse(text); !value.has_value()) {
    return base::fail(
        base::ErrorCode::kInvalid,
        fmt::format("{}: {}", words.has("--file") ? "--file" : "--data", value.error().detail));
  }
  return text;
}

base::Result<std::string> event_of(const Words& words) {
  TRY(const std::string payload, payload_of(words));
  std::string text;
  ::text::JsonWriter json(text);
  json.begin_object().field("type", *words.find("--type"));
  for (const auto& [option, member] :
       {std::pair("--object-code", "object_code"), std::pair("--object-id", "object_id"),
        std::pair("--id", "id")}) {
    if (const auto value = words.find(option)) {
      json.field(member, *value);
    }
  }
  json.key("payload").raw(payload).end_object();
  return text;
}

int publish_one(ApiClient& client, const Words& words) {
  const base::Result<std::string> event = event_of(words);
  if (!event.has_value()) {
    return refuse(kExitUsage, event.error().detail);
  }
  const base::Result<ApiAnswer> answer = client.post(kPath, "application/json", *event);
  if (!answer.has_value()) {
    return refuse(kExitFailed, answer.error().detail);
  }
  if (words.has("--json")) {
    print(answer->body);
    return answer->status == 202 ? kExitDone : kExitFailed;
  }
  if (answer->status != 202) {
    return refuse(kExitFailed, refusal_text(*answer));
  }
  match::JsonParser parser;
  const auto receipt = parser.parse(answer->body);
  if (!receipt.has_value()) {
    return refuse(kExitFailed, "the server accepted it, but its answer is not JSON");
  }
  print(accepted_text(*receipt, answer->is_replayed));
  return kExitDone;
}

// Many events, a request for each thousand lines.
class Publication {
 public:
  Publication(ApiClient& client, bool prints_json) : client_(client), prints_json_(prints_json) {}

  int run(std::istream& lines) {
    for (std::string line; has_no_error_ && std::getline(lines, line);) {
      if (waiting_ == kLinesMax || body_.size() + line.size() > kBytesMax) {
        send();
      }
      body_.append(line).append("\n");
      waiting_ += 1;
    }
    if (has_no_error_ && waiting_ > 0) {
      send();
    }
    if (!prints_json_) {
      print(fmt::format("{} of {} events were accepted.\n", accepted_, answered_));
    }
    return has_no_error_ && accepted_ == answered_ ? kExitDone : kExitFailed;
  }

 private:
  void send() {
    const base::Result<ApiAnswer> answer =
        client_.post(kPath, "application/x-ndjson", std::exchange(body_, {}));
    waiting_ = 0;
    if (!answer.has_value() || (answer->status != 202 && answer->status != 207)) {
      has_no_error_ = false;
      refuse(kExitFailed,
             fmt::format("from line {} on: {}", answered_ + 1,
                         answer.has_value() ? refusal_text(*answer) : answer.error().detail));
      return;
    }
    std::string_view rest = answer->body;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      take(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  void take(std::string_view text) {
    const auto result = parser_.parse(text);
    if (!result.has_value()) {
      has_no_error_ = false;
      refuse(kExitFailed, "the server's answer is not JSON");
      return;
    }
    answered_ += 1;
    const int status = status_of(*result);
    accepted_ += status == 202 ? 1 : 0;
    if (prints_json_) {
      print(line_json(answered_, *result));
    } else if (status != 202) {
      print(line_text(answered_, *result));
    }
    if (status == 429 || status == 503) {
      has_no_error_ = false;  // the rest would fare no better
    }
  }

  ApiClient& client_;
  const bool prints_json_;
  match::JsonParser parser_;
  std::string body_;
  size_t waiting_ = 0;   // lines in the body
  size_t answered_ = 0;  // lines before it
  size_t accepted_ = 0;
  bool has_no_error_ = true;
};

int publish_many(ApiClient& client, const Words& words) {
  for (const std::string_view option : {"--data", "--id", "--object-code", "--object-id"}) {
    if (words.has(option)) {
      return refuse(kExitUsage, fmt::format("{} describes one event and needs --type", option));
    }
  }
  Publication publication(client, words.has("--json"));
  if (const auto path = words.find("--file")) {
    std::ifstream file(*path, std::ios::binary);
    if (!file.is_open()) {
      return refuse(kExitUsage, fmt::format("--file: '{}' cannot be read", *path));
    }
    return publication.run(file);
  }
  return publication.run(std::cin);
}

}  // namespace

int publish(std::span<char* const> arguments) {
  const base::Result<Words> words = parse(kRow, arguments);
  if (!words.has_value()) {
    return refuse(kExitUsage, words.error().detail);
  }
  if (words->has("--help")) {
    print(help_text(kRow));
    return kExitDone;
  }
  const base::Result<std::string> key = find_key(*words);
  if (!key.has_value()) {
    return refuse(kExitUsage, key.error().detail);
  }
  const std::string server =
      words->find("--server").value_or(variable("POSTRIDER_SERVER").value_or(std::string(kServer)));
  const auto client = ApiClient::make(server, *key);
  if (!client.has_value()) {
    return refuse(kExitUsage, "--server: " + client.error().detail);
  }
  return words->has("--type") ? publish_one(**client, *words) : publish_many(**client, *words);
}

}  // namespace client
