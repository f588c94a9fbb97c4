#include "api/ndjson.h"

#include <fmt/core.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/event_counts.h"
#include "api/new_event.h"

namespace api {
namespace {

// A slice: about half a millisecond, and as much as deliveries get done in the meantime.
constexpr size_t kLinesAtOnce = 32;

std::string_view take_line(std::string_view& rest) {
  const size_t end = std::min(rest.find('\n'), rest.size());
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line;
}

// Blank lines count: results are named by the lines that the producer sees in his file.
size_t count_lines(std::string_view body) {
  size_t count = 0;
  while (!body.empty()) {
    take_line(body);
    ++count;
  }
  return count;
}

// One request, until its answer is sent.
class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(Backend& backend, Call& call)
      : backend_(backend),
        tenant_(call.caller.tenant),
        traceparent_(traceparent_of(call.request)),
        reply_(std::move(call.reply)),
        body_(call.request.body),
        rest_(body_),
        began_(backend.loop.now()) {}

  void go_on() {
    if (rest_.empty()) {
      finish();
      return;
    }
    backend_.turns.add([run = shared_from_this()] { run->take_slice(); });
  }

 private:
  // What became of a line that has been read: refused, or in the hands of the intake.
  struct Line {
    size_t number = 0;
    std::optional<Problem> problem;
  };

  void take_slice() {
    std::vector<delivery::Publication> publications;
    for (size_t taken = 0; taken < kLinesAtOnce && !rest_.empty(); ++taken) {
      take(publications);
    }
    if (publications.empty()) {
      answered({});
      return;
    }
    backend_.intake.publish_all(
        std::move(publications),
        [run = shared_from_this()](const std::vector<delivery::Intake::Accepted>& accepted) {
          run->answered(accepted);
        });
  }

  void take(std::vector<delivery::Publication>& publications) {
    const std::string_view text = take_line(rest_);
    Line line{.number = ++line_, .problem = stopped_};
    if (!line.problem.has_value()) {
      auto publication = read_event(
          backend_, {.tenant = tenant_, .idempotency_key = {}, .traceparent = traceparent_}, text);
      if (publication.has_value()) {
        publications.push_back(*std::move(publication));
      } else {
        line.problem = std::move(publication.error());
      }
    }
    lines_.push_back(std::move(line));
  }

  void answered(const std::vector<delivery::Intake::Accepted>& accepted) {
    size_t next_answer = 0;
    for (const Line& line : lines_) {
      if (line.problem.has_value()) {
        write_refused(line.number, *line.problem);
      } else {
        write_answer(line.number, accepted[next_answer++]);
      }
    }
    lines_.clear();
    backend_.turns.finished();
    go_on();
  }

  void write_answer(size_t number, const delivery::Intake::Accepted& accepted) {
    if (!accepted.has_value()) {
      Problem problem = publish_problem(backend_, accepted.error());
      if (problem.status == 429 || problem.status == 503) {
        stopped_ = problem;  // what comes after it would not fare better
      }
      write_refused(number, problem);
    } else if (accepted->is_other) {
      write_refused(number, {.status = 409,
                             .code = "other_event_with_this_id",
                             .message = "another event was accepted under this id",
                             .field = "id"});
    } else {
      count_accepted(backend_.metrics, accepted->is_repeat);
      text::JsonWriter json(results_);
      json.begin_object().field("line", number).field("status", 202);
      write_receipt(json, *accepted);
      json.end_object();
      results_.push_back('\n');
    }
  }

  void write_refused(size_t number, const Problem& problem) {
    has_refused_ = true;
    count_refused(backend_.metrics, problem);
    text::JsonWriter json(results_);
    json.begin_object().field("line", number).field("status", problem.status).key("error");
    write_problem(json, problem, "");
    json.end_object();
    results_.push_back('\n');
  }

  void finish() {
    http::Response response{.status = static_cast<uint16_t>(has_refused_ ? 207 : 202),
                            .content_type = "application/x-ndjson",
                            .body = std::move(results_)};
    if (stopped_.has_value()) {
      response.add("Retry-After", fmt::format("{}", stopped_->retry_after_seconds));
    }
    reply_.send(response);
    count_publish_time(backend_.metrics, backend_.loop.now() - began_);
  }

  Backend& backend_;
  base::TenantId tenant_;
  std::string traceparent_;  // of all lines
  Reply reply_;
  std::string body_;
  std::string_view rest_;  // of the body
  base::Instant began_;
  size_t line_ = 0;
  std::vector<Line> lines_;  // read, and not written into the results yet
  std::optional<Problem> stopped_;
  bool has_refused_ = false;
  std::string results_;
};

}  // namespace

std::optional<Problem> find_overload(const Backend& backend) {
  if (backend.is_draining) {
    return unavailable("the server is about to stop");
  }
  const store::Health health = backend.engine.health();
  if (!health.is_available) {
    return unavailable(health.reason);
  }
  if (backend.intake.room() == 0) {
    return Problem{.status = 429,
                   .code = "too_many_publishes",
                   .message = "too many events are waiting for the disk",
                   .hint = "nothing was stored; try again in a second",
                   .retry_after_seconds = 1};
  }
  return std::nullopt;
}

Problem publish_problem(const Backend& backend, const base::Error& error) {
  if (error.code == base::ErrorCode::kInvalid) {
    return {.status = 422, .code = "too_many_deliveries", .message = error.detail};
  }
  return find_overload(backend).value_or(problem_of(error));
}

void publish_ndjson(Backend& backend, Call& call) {
  const size_t lines = count_lines(call.request.body);
  if (lines == 0) {
    call.reply.problem(invalid("", "the request has no line", "send one JSON object on each line"));
    return;
  }
  if (lines > backend.limits.ndjson_lines_max ||
      call.request.body.size() > backend.limits.ndjson_bytes_max) {
    call.reply.problem(
        {.status = 413,
         .code = "too_many_lines",
         .message = fmt::format("a request takes at most {} lines and {} bytes; nothing was stored",
                                backend.limits.ndjson_lines_max, backend.limits.ndjson_bytes_max),
         .hint = "send the lines in several requests"});
    return;
  }
  std::make_shared<Run>(backend, call)->go_on();
}

}  // namespace api
