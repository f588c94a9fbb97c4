// One request on its way through a handler: what was asked, by whom, and the duty to answer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/problem.h"
#include "base/result.h"
#include "http/answer.h"
#include "http/request.h"
#include "http/route_table.h"
#include "match/json.h"
#include "observe/metrics.h"
#include "registry/caller.h"

namespace api {

struct Backend;

// The duty to answer, with the name that the request goes by. Answer exactly once.
class Reply {
 public:
  Reply(http::Answer answer, std::string_view request_id, observe::Metrics& metrics)
      : answer_(std::move(answer)), request_id_(request_id), metrics_(&metrics) {}

  const std::string& request_id() const { return request_id_; }

  void send(const http::Response& response) {
    count(response);
    answer_.send(response);
  }
  // A JSON text; a line end is added.
  void json(uint16_t status, std::string body);
  void problem(const Problem& problem) { send(response_of(problem, request_id_)); }
  void nothing() { send({.status = 204}); }
  http::Stream stream(const http::Response& head, http::OnStreamEnd on_end) {
    count(head);
    return answer_.stream(head, std::move(on_end));
  }

 private:
  void count(const http::Response& response) {
    metrics_->add(observe::Metric::kHttpRequests, observe::status_class(response.status));
  }

  http::Answer answer_;
  std::string request_id_;
  observe::Metrics* metrics_;
};

struct Call {
  const http::Request& request;  // valid only while the handler runs
  const http::PathValues& path;  // so are these
  registry::Caller caller;
  Reply reply;

  // For who answers later.
  std::shared_ptr<Reply> keep() { return std::make_shared<Reply>(std::move(reply)); }
};

using Action = void (*)(Backend& backend, Call& call);

// The body as one JSON object; the value is valid until the backend's parser parses again. If it is
// none, the problem says so.
std::expected<match::JsonValue, Problem> json_object_of(Backend& backend,
                                                        const http::Request& request);

}  // namespace api
