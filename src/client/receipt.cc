#include "client/receipt.h"

#include <fmt/format.h>

#include "text/json_writer.h"

namespace client {
namespace {

using match::JsonKind;
using match::JsonValue;

std::string text_of(JsonValue object, std::string_view key) {
  const JsonValue value = object.find(key);
  return value.kind() == JsonKind::kString ? std::string(value.as_string()) : "";
}

int64_t number_of(JsonValue object, std::string_view key) {
  const JsonValue value = object.find(key);
  return value.kind() == JsonKind::kInteger ? value.as_integer() : 0;
}

std::string counted(int64_t number, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

}  // namespace

std::string problem_text(JsonValue error) {
  std::string text = text_of(error, "message");
  if (const std::string field = text_of(error, "field"); !field.empty()) {
    text += fmt::format(" (field {})", field);
  }
  if (const std::string hint = text_of(error, "hint"); !hint.empty()) {
    text += fmt::format("; {}", hint);
  }
  if (const std::string id = text_of(error, "request_id"); !id.empty()) {
    text += fmt::format(" [request {}]", id);
  }
  return text;
}

int status_of(JsonValue result) { return static_cast<int>(number_of(result, "status")); }

std::string accepted_text(JsonValue receipt, bool is_replayed) {
  const JsonValue deliveries = receipt.find("deliveries");
  std::string text =
      fmt::format("{} {}: ", is_replayed ? "Already accepted" : "Accepted", text_of(receipt, "id"));
  if (deliveries.size() == 0) {
    const std::string reason = text_of(receipt, "unmatched_reason");
    return text + (reason.empty() ? "no subscription wants it.\n"
                                  : fmt::format("no subscription wants it: {}.\n", reason));
  }
  text += fmt::format("{}, {}.\n",
                      counted(number_of(receipt, "matched"), "subscription", "subscriptions"),
                      counted(static_cast<int64_t>(deliveries.size()), "delivery", "deliveries"));
  for (const JsonValue delivery : deliveries.elements()) {
    text += fmt::format("  delivery {}  subscription {}  endpoint {}\n", text_of(delivery, "id"),
                        text_of(delivery, "subscription"), text_of(delivery, "endpoint"));
  }
  return text;
}

std::string line_text(size_t line, JsonValue result) {
  const int status = status_of(result);
  if (status != 202) {
    return fmt::format("line {}: refused with {}: {}\n", line, status,
                       problem_text(result.find("error")));
  }
  return fmt::format(
      "line {}: accepted {}, {}\n", line, text_of(result, "id"),
      counted(static_cast<int64_t>(result.find("deliveries").size()), "delivery", "deliveries"));
}

std::string line_json(size_t line, JsonValue result) {
  std::string text;
  ::text::JsonWriter json(text);
  json.begin_object().field("line", line).field("status", status_of(result));
  if (status_of(result) == 202) {
    json.field("id", text_of(result, "id")).field("matched", number_of(result, "matched"));
    json.key("deliveries").begin_array();
    for (const JsonValue delivery : result.find("deliveries").elements()) {
      json.value(text_of(delivery, "id"));
    }
    json.end_array();
  } else {
    const JsonValue error = result.find("error");
    json.field("code", text_of(error, "code")).field("message", text_of(error, "message"));
    json.field("field", text_of(error, "field"));
  }
  json.end_object();
  return text + "\n";
}

}  // namespace client
