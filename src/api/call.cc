#include "api/call.h"

#include "api/backend.h"

namespace api {

void Reply::json(uint16_t status, std::string body) {
  body.push_back('\n');
  send({.status = status, .content_type = kJson, .body = std::move(body)});
}

std::expected<match::JsonValue, Problem> json_object_of(Backend& backend,
                                                        const http::Request& request) {
  if (request.body.empty()) {
    return std::unexpected(invalid("", "the request has no body", "send a JSON object"));
  }
  auto root = backend.parser.parse(request.body);
  if (!root.has_value()) {
    return std::unexpected(invalid("", root.error().detail));
  }
  if (root->kind() != match::JsonKind::kObject) {
    return std::unexpected(invalid("", "the body is not a JSON object"));
  }
  return *root;
}

}  // namespace api
