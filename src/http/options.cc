#include "http/options.h"

#include <string>

namespace http {

Response explain_as_json(const Refusal& refusal, std::string_view request_id) {
  Response response{.status = refusal.status, .content_type = "application/json"};
  const auto append = [&](std::string_view name, std::string_view value) {
    response.body.append("\"").append(name).append("\":\"").append(value).append("\"");
  };
  response.body = "{\"error\":{";
  append("code", refusal.code);
  response.body += ',';
  append("message", refusal.words);
  response.body += ',';
  append("request_id", request_id);
  response.body += "}}\n";
  return response;
}

}  // namespace http
