// The reader of responses: where the bytes are cut changes nothing, what it accepts as a head is
// one, and nothing grows past its limit.

#include <algorithm>
#include <string>

#include "base/check.h"
#include "net/response_reader.h"
#include "tests/fuzz/fuzz_target.h"

namespace fuzz {

namespace {

using State = net::ResponseReader::State;

// Small, so that inputs of a few hundred bytes reach them.
constexpr net::ResponseLimits kLimits{.head_bytes_max = 300,
                                      .head_lines_max = 8,
                                      .interim_max = 2,
                                      .body_bytes_max = 200,
                                      .body_bytes_kept = 20};

struct Reading {
  State state = State::kHead;
  uint16_t status = 0;
  std::string lines;
  std::string body;
  bool is_body_cut = false;
  bool is_reusable = false;
};

// Feeds pieces of this size until the reader has enough, and then tells it that there is no more.
Reading read_in_pieces(std::string_view input, size_t piece) {
  net::ResponseReader reader(kLimits);
  while (!input.empty() && (reader.state() == State::kHead || reader.state() == State::kBody)) {
    // A copy of its own: the sanitizer sees whoever reads past its end.
    const std::string part(input.substr(0, piece));
    reader.feed(part);
    input.remove_prefix(part.size());
  }
  if (reader.state() == State::kHead || reader.state() == State::kBody) {
    reader.end_of_stream();
  }
  CHECK(reader.state() == State::kDone || reader.state() == State::kMalformed);
  CHECK((reader.state() == State::kMalformed) == !reader.problem().empty());
  if (reader.state() == State::kMalformed) {
    return {.state = State::kMalformed};
  }
  return {.state = State::kDone,
          .status = reader.head().status,
          .lines = reader.head().lines,
          .body = reader.body(),
          .is_body_cut = reader.is_body_cut(),
          .is_reusable = reader.is_reusable()};
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c;
  });
  return result;
}

void check_head(const Reading& reading) {
  CHECK(reading.status >= 200 && reading.status <= 599);
  CHECK(reading.lines.size() < kLimits.head_bytes_max);
  size_t lengths = 0;
  size_t encodings = 0;
  size_t count = 1;
  std::string_view rest = reading.lines;
  while (!rest.empty()) {
    const size_t end = rest.find("\r\n");
    CHECK(end != std::string_view::npos && end > 0);
    const std::string line = lower(rest.substr(0, end));
    CHECK(line.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
    CHECK(line[0] != ' ' && line[0] != '\t' && line.find(':') != std::string::npos);
    lengths += line.starts_with("content-length:") ? 1 : 0;
    encodings += line.starts_with("transfer-encoding:") ? 1 : 0;
    rest.remove_prefix(end + 2);
    count += 1;
  }
  CHECK(lengths + encodings <= 1);
  CHECK(count <= kLimits.head_lines_max);
  CHECK(reading.body.size() <= kLimits.body_bytes_kept);
}

}  // namespace

void check(std::string_view input) {
  const Reading whole = read_in_pieces(input, std::max<size_t>(input.size(), 1));
  if (whole.state == State::kDone) {
    check_head(whole);
  }
  for (const size_t piece : {1U, 2U, 7U, 64U}) {
    const Reading cut = read_in_pieces(input, piece);
    CHECK(cut.state == whole.state);
    CHECK(cut.status == whole.status && cut.lines == whole.lines && cut.body == whole.body);
    CHECK(cut.is_body_cut == whole.is_body_cut);
    // What follows a response is seen only by who reads it in the same piece.
    CHECK(!whole.is_reusable || cut.is_reusable);
  }
}

}  // namespace fuzz
