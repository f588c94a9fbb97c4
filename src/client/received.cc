#include "client/received.h"

#include <fmt/format.h>

#include "client/json_text.h"
#include "match/json.h"
#include "text/json_writer.h"
#include "text/time_text.h"

namespace client {
namespace {

constexpr size_t kShownBytesMax = size_t{64} << 10U;

std::string_view field_of(const http::Request& request, std::string_view name) {
  return request.fields.find(name).value_or("");
}

bool is_json(std::string_view text) {
  match::JsonParser parser;
  return parser.parse(text).has_value();
}

// Nothing that a sender writes moves the cursor of a terminal.
std::string harmless(std::string_view text) {
  std::string quoted;
  ::text::append_json_string(quoted, text);
  return quoted.substr(1, quoted.size() - 2);
}

std::string shown_body(std::string_view body) {
  if (body.empty()) {
    return {};
  }
  if (body.size() > kShownBytesMax) {
    return fmt::format("    ({} bytes)\n", body.size());
  }
  return fmt::format("    {}\n",
                     is_json(body) ? laid_out(body, JsonLayout::kIndented, 4) : harmless(body));
}

std::string verdict_text(const Received& received, const http::Request& request) {
  if (!received.refusal.has_value()) {
    return field_of(request, "webhook-signature").empty()
               ? "not signed"
               : "signed, not checked: give the secret by --secret";
  }
  return received.refusal->empty() ? "signature verified"
                                   : fmt::format("SIGNATURE REFUSED: {}", *received.refusal);
}

void write_text(::text::JsonWriter& json, std::string_view name, std::string_view value) {
  json.key(name);
  value.empty() ? json.null() : json.value(value);
}

}  // namespace

std::string received_text(const Received& received, const http::Request& request) {
  std::string text = fmt::format("{}  #{} {} {}", ::text::time_text(received.at), received.number,
                                 http::to_word(request.method), harmless(request.path));
  for (const auto& [words, field] :
       {std::pair("event", "webhook-id"), std::pair("type", "postrider-event-type"),
        std::pair("attempt", "postrider-attempt")}) {
    if (const std::string_view value = field_of(request, field); !value.empty()) {
      text += fmt::format("  {} {}", words, harmless(value));
    }
  }
  return text + fmt::format("\n    {}; answered {}\n{}", verdict_text(received, request),
                            received.status, shown_body(request.body));
}

std::string received_json(const Received& received, const http::Request& request) {
  std::string text;
  ::text::JsonWriter json(text);
  json.begin_object()
      .field("time", ::text::time_text(received.at))
      .field("number", received.number)
      .field("method", http::to_word(request.method))
      .field("path", request.path);
  write_text(json, "id", field_of(request, "webhook-id"));
  write_text(json, "type", field_of(request, "postrider-event-type"));
  write_text(json, "attempt", field_of(request, "postrider-attempt"));
  json.key("verified");
  received.refusal.has_value() ? json.value(received.refusal->empty()) : json.null();
  write_text(json, "refusal", received.refusal.value_or(""));
  json.field("status", received.status).field("bytes", request.body.size()).key("body");
  if (is_json(request.body)) {
    json.raw(laid_out(request.body, JsonLayout::kOneLine));
  } else {
    json.value(request.body);
  }
  json.end_object();
  return text + "\n";
}

}  // namespace client
