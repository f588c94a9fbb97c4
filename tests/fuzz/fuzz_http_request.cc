// The reader of requests: where the bytes are cut changes nothing, what it accepts is framed in one
// way only, written down anew it is read as the same request, and nothing grows past its limit.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "http/grammar.h"
#include "http/request_reader.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/http/reading.h"

namespace fuzz {

namespace {

using http::Request;
using http::RequestReader;

constexpr size_t kBodyMax = 64;

// Small, so that inputs of a few hundred bytes reach them.
http::RequestLimits make_limits() {
  http::RequestLimits limits{.request_line_bytes_max = 60, .field_bytes_max = 200, .fields_max = 8};
  limits.body_bytes_max = [](const Request&) { return kBodyMax; };
  return limits;
}

const http::RequestLimits& limits() {
  static const http::RequestLimits kLimits = make_limits();
  return kLimits;
}

bool is_encoding(const http::Field& field) {
  return http::equals_ignoring_case(field.name, "transfer-encoding");
}

// The same request in its plainest form: a length in place of chunks.
std::string write_down(const Request& request) {
  std::string text = std::string(http::to_word(request.method)) + " " + std::string(request.path);
  text += request.query.empty() ? "" : "?" + std::string(request.query);
  text += request.is_http_1_0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n";
  for (size_t index = 0; index < request.fields.size(); ++index) {
    const http::Field field = request.fields[index];
    text += is_encoding(field) ? "Content-Length:" + std::to_string(request.body.size())
                               : std::string(field.name) + ":" + std::string(field.value);
    text += "\r\n";
  }
  return text + "\r\n" + std::string(request.body);
}

void check_request(const Request& request) {
  CHECK(request.path.starts_with('/') || request.path == "*");
  CHECK(request.fields.size() <= limits().fields_max);
  CHECK(request.body.size() <= kBodyMax);
  const size_t lengths = request.fields.count("content-length");
  const size_t encodings = request.fields.count("transfer-encoding");
  CHECK(lengths + encodings <= 1);
  CHECK(lengths + encodings == 1 || request.body.empty());
  CHECK(request.fields.count("host") == 1 ||
        (request.is_http_1_0 && request.fields.count("host") == 0));

  const std::string text = write_down(request);
  RequestReader again(limits());
  CHECK_EQ(again.feed(text), text.size());
  CHECK(again.state() == RequestReader::State::kDone);
  const Request same = again.request();
  CHECK(same.method == request.method && same.path == request.path);
  CHECK(same.query == request.query && same.body == request.body);
  CHECK(same.keeps_alive == request.keeps_alive);
  CHECK_EQ(same.fields.size(), request.fields.size());
}

// Every request that the bytes hold.
void check_all(std::string_view input) {
  RequestReader reader(limits());
  while (!input.empty()) {
    const size_t taken = reader.feed(input);
    CHECK(taken <= input.size() && taken > 0);
    input.remove_prefix(taken);
    if (reader.state() != RequestReader::State::kDone) {
      return;
    }
    check_request(reader.request());
    reader.reset();
  }
}

}  // namespace

void check(std::string_view input) {
  check_all(input);
  const auto read = [&](size_t piece) {
    return http::read_in_pieces(input, limits(), [piece] { return piece; });
  };
  const http::Reading whole = read(std::max<size_t>(input.size(), 1));
  for (const size_t piece : {1U, 2U, 7U, 64U}) {
    const http::Reading cut = read(piece);
    CHECK(cut.statuses == whole.statuses);
    CHECK(cut.requests == whole.requests);
  }
}

}  // namespace fuzz
