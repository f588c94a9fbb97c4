#include "api/problem.h"

#include <fmt/core.h>

#include <utility>

namespace api {

Problem invalid(std::string_view field, std::string message, std::string hint) {
  return {.status = 400,
          .code = "invalid",
          .message = std::move(message),
          .field = std::string(field),
          .hint = std::move(hint)};
}

Problem no_such(std::string_view thing) {
  return {.status = 404, .code = "not_found", .message = fmt::format("there is no such {}", thing)};
}

Problem unavailable(std::string message) {
  return {.status = 503,
          .code = "unavailable",
          .message = std::move(message),
          .hint = "nothing was stored; try again in a moment",
          .retry_after_seconds = 1};
}

Problem problem_of(const base::Error& error) {
  switch (error.code) {
    case base::ErrorCode::kInvalid:
      return {.status = 400, .code = "invalid", .message = error.detail};
    case base::ErrorCode::kNotFound:
      return {.status = 404, .code = "not_found", .message = error.detail};
    case base::ErrorCode::kConflict:
      return {.status = 409, .code = "conflict", .message = error.detail};
    case base::ErrorCode::kUnavailable:
      return unavailable(error.detail);
    case base::ErrorCode::kCorrupt:
    case base::ErrorCode::kIo:
      break;
  }
  return {.status = 500, .code = "internal", .message = error.detail};
}

void write_problem(text::JsonWriter& json, const Problem& problem, std::string_view request_id) {
  json.begin_object().field("code", problem.code).field("message", problem.message);
  if (!problem.field.empty()) {
    json.field("field", problem.field);
  }
  if (!problem.hint.empty()) {
    json.field("hint", problem.hint);
  }
  if (!request_id.empty()) {
    json.field("request_id", request_id);
  }
  json.end_object();
}

http::Response response_of(const Problem& problem, std::string_view request_id) {
  http::Response response{.status = problem.status, .content_type = kJson};
  text::JsonWriter json(response.body);
  json.begin_object().key("error");
  write_problem(json, problem, request_id);
  json.end_object();
  response.body.push_back('\n');
  if (problem.retry_after_seconds > 0) {
    response.add("Retry-After", fmt::format("{}", problem.retry_after_seconds));
  }
  return response;
}

}  // namespace api
