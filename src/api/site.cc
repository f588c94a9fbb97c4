#include "api/site.h"

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "api/routes.h"
#include "http/grammar.h"

namespace api {
namespace {

constexpr std::string_view kBearer = "Bearer ";

Problem no_key() {
  return {.status = 401,
          .code = "no_key",
          .message = "the request has no API key",
          .hint = "add the header Authorization: Bearer prk_..."};
}

Problem wrong_key() {
  return {.status = 401,
          .code = "wrong_key",
          .message = "the API key is not valid",
          .hint = "it may have been revoked or have expired"};
}

Problem throttled(base::Duration retry_after) {
  return {.status = 429,
          .code = "too_many_failed_keys",
          .message = "too many requests with a wrong key came from this address",
          .retry_after_seconds = static_cast<int>((retry_after.count_ms() + 999) / 1000)};
}

Problem missing_scope(std::string_view scope) {
  return {.status = 403,
          .code = "missing_scope",
          .message = fmt::format("the API key does not have the scope \"{}\"", scope),
          .hint = "an admin can make a key that has it: POST /v1/keys"};
}

std::expected<registry::Caller, Problem> find_caller(Backend& backend,
                                                     const http::Request& request) {
  const std::string_view field = request.fields.find("Authorization").value_or("");
  const bool is_bearer = field.size() > kBearer.size() &&
                         http::equals_ignoring_case(field.substr(0, kBearer.size()), kBearer);
  if (!is_bearer) {
    return std::unexpected(no_key());
  }
  const registry::Authentication found =
      backend.registry.authenticate(field.substr(kBearer.size()), request.peer);
  if (found.retry_after.has_value()) {
    return std::unexpected(throttled(*found.retry_after));
  }
  if (!found.caller.has_value()) {
    return std::unexpected(wrong_key());
  }
  return *found.caller;
}

std::expected<registry::Caller, Problem> authorize(Backend& backend, const http::Route& route,
                                                   const http::Request& request) {
  if (route.scope.empty()) {
    return registry::Caller{};
  }
  auto caller = find_caller(backend, request);
  if (!caller.has_value()) {
    return caller;
  }
  // An admin may act for any tenant: he says for which.
  if (const auto tenant = request.fields.find("Postrider-Tenant")) {
    auto elsewhere = backend.registry.act_in(*caller, *tenant);
    if (!elsewhere.has_value()) {
      return std::unexpected(problem_of(elsewhere.error()));
    }
    *caller = *elsewhere;
  }
  if (!caller->scopes.has(registry::parse_scope(route.scope).value())) {
    return std::unexpected(missing_scope(route.scope));
  }
  return caller;
}

void serve(Backend& backend, const http::Request& request, http::Answer answer) {
  Reply reply(std::move(answer), request.id, backend.metrics);
  auto found = routes().find(request.method, request.path);
  if (const auto* other = std::get_if<http::MethodNotAllowed>(&found)) {
    auto response = response_of(
        {.status = 405, .code = "method_not_allowed", .message = "this path has other methods"},
        request.id);
    response.add("Allow", other->allow);
    reply.send(response);
    return;
  }
  const auto* match = std::get_if<Routes::Match>(&found);
  if (match == nullptr) {
    reply.problem({.status = 404,
                   .code = "no_such_path",
                   .message = "there is nothing at this path",
                   .hint = "GET /docs shows what there is"});
    return;
  }
  auto caller = authorize(backend, match->row->route, request);
  if (!caller.has_value()) {
    auto response = response_of(caller.error(), request.id);
    if (caller.error().status == 401) {
      response.add("WWW-Authenticate", "Bearer");
    }
    reply.send(response);
    return;
  }
  Call call{
      .request = request, .path = match->values, .caller = *caller, .reply = std::move(reply)};
  match->row->action(backend, call);
}

}  // namespace

http::Site make_site(Backend& backend) {
  return {
      .on_request = [&backend](const http::Request& request,
                               http::Answer answer) { serve(backend, request, std::move(answer)); },
      .explain =
          [&backend](const http::Refusal& refusal, std::string_view request_id) {
            http::Response response = http::explain_as_json(refusal, request_id);
            backend.metrics.add(observe::Metric::kHttpRequests,
                                observe::status_class(response.status));
            return response;
          }};
}

size_t body_bytes_max(const http::Request& head) {
  return routes().body_bytes_max(head.method, head.path);
}

}  // namespace api
