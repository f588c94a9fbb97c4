#include "http/request_reader.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "http/grammar.h"

namespace http {
namespace {

constexpr size_t kLengthDigitsMax = 18;  // No length can overflow.
// What is kept for the next request of a busy connection; anything larger is given back.
constexpr size_t kGatheredBytesKept = 256;
constexpr size_t kPlacesKept = 24;
// Room that a Content-Length gets on its word alone; beyond it, memory follows what has arrived.
constexpr size_t kBodyBytesTrusted = size_t{64} * 1024;

Place place_of(std::string_view part, std::string_view text) {
  return {.at = static_cast<uint16_t>(part.data() - text.data()),
          .size = static_cast<uint16_t>(part.size())};
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= kLengthDigitsMax &&
         std::ranges::all_of(text, [](char digit) { return digit >= '0' && digit <= '9'; });
}

void release(std::string& text) {
  text.clear();
  if (text.capacity() > kGatheredBytesKept) {
    std::string().swap(text);
  }
}

bool needs_length_in_1_0(Method method) {
  return method == Method::kPost || method == Method::kPut || method == Method::kPatch;
}

}  // namespace

RequestReader::RequestReader(const RequestLimits& limits) : limits_(limits) {
  CHECK_LT(limits.request_line_bytes_max + limits.field_bytes_max + 4,
           size_t{std::numeric_limits<uint16_t>::max()});
}

size_t RequestReader::feed(std::string_view bytes) {
  CHECK(state_ == State::kHead || state_ == State::kBody);
  size_t taken = 0;
  if (state_ == State::kHead) {
    taken = take_head(bytes);
  }
  if (state_ == State::kBody) {
    taken += take_body(bytes.substr(taken));
  }
  if (state_ == State::kBody) {
    hold_head();
  }
  return taken;
}

void RequestReader::reset() {
  CHECK(state_ == State::kDone);
  state_ = State::kHead;
  framing_ = Framing::kNone;
  has_request_line_ = false;
  head_ = {};
  line_at_ = 0;
  fields_at_ = 0;
  scanned_ = 0;
  places_.clear();
  if (places_.capacity() > kPlacesKept) {
    places_.shrink_to_fit();
  }
  head_text_ = {};
  release(gathered_head_);
  body_ = {};
  release(gathered_body_);
  chunks_ = {};
}

Request RequestReader::request() const {
  CHECK(state_ == State::kDone);
  Request request = head();
  request.body = body_;
  return request;
}

// The request without its body.
Request RequestReader::head() const {
  const std::string_view path = head_.path.in(head_text_);
  return {.method = head_.method,
          .path = path.empty() ? "/" : path,  // "http://host" asks for the root
          .query = head_.query.in(head_text_),
          .fields = Fields(head_text_, places_),
          .keeps_alive = !head_.is_http_1_0 && !head_.says_close,
          .is_http_1_0 = head_.is_http_1_0};
}

bool RequestReader::take_expectation() {
  const bool waits = state_ == State::kBody && head_.expects_continue && body_.empty();
  head_.expects_continue = false;
  return waits;
}

size_t RequestReader::take_head(std::string_view bytes) {
  const size_t before = gathered_head_.size();
  std::string_view text = bytes;
  if (before > 0) {
    gathered_head_.append(bytes);
    text = gathered_head_;
  }
  while (state_ == State::kHead && take_line(text)) {
  }
  if (state_ == State::kRefused) {
    return bytes.size();
  }
  if (state_ == State::kHead) {
    if (before == 0) {
      gathered_head_ = bytes;
    }
    return bytes.size();
  }
  if (before > 0) {
    gathered_head_.resize(line_at_);
  }
  return line_at_ - before;
}

// False if the next line is not complete, or was the last, or was refused.
bool RequestReader::take_line(std::string_view text) {
  skip_empty_line(text);
  const size_t end = find_line_end(text);
  if (end == std::string_view::npos) {
    return false;
  }
  if (end == line_at_ || text[end - 1] != '\r') {
    refuse(kBadLineEnd);
    return false;
  }
  const Place line{.at = static_cast<uint16_t>(line_at_),
                   .size = static_cast<uint16_t>(end - 1 - line_at_)};
  line_at_ = end + 1;
  scanned_ = line_at_;
  if (!has_request_line_) {
    take_request_line(text, line);
  } else if (line.size == 0) {
    end_head(text.substr(0, line_at_));
  } else {
    take_field(text, line);
  }
  return state_ == State::kHead;
}

// Where the line feed of the line under way is, if it has come. Refuses a line that is too long.
size_t RequestReader::find_line_end(std::string_view text) {
  if (!has_request_line_ && text.size() > line_at_ && !is_token_character(text[line_at_]) &&
      text[line_at_] != '\r') {
    refuse(kBadRequestLine);  // At once: it may be TLS, and no line may ever end.
    return std::string_view::npos;
  }
  const size_t end = text.find('\n', scanned_);
  scanned_ = text.size();
  const size_t length = std::min(end, text.size());
  if (!has_request_line_ && length - line_at_ > limits_.request_line_bytes_max + 1) {
    refuse(kTargetTooLong);
    return std::string_view::npos;
  }
  if (has_request_line_ && length - fields_at_ >= limits_.field_bytes_max) {
    refuse(kHeadTooLarge);
    return std::string_view::npos;
  }
  return end;
}

// One empty line before a request is passed over, as RFC 9112 section 2.2 asks: some clients end a
// body with it.
void RequestReader::skip_empty_line(std::string_view text) {
  if (!has_request_line_ && line_at_ == 0 && text.starts_with("\r\n")) {
    line_at_ = 2;
    scanned_ = 2;
  }
}

void RequestReader::take_request_line(std::string_view text, Place line) {
  RequestLine parsed;
  if (const Refusal* refusal = parse_request_line(line.in(text), parsed)) {
    return refuse(*refusal);
  }
  has_request_line_ = true;
  fields_at_ = line_at_;
  head_.method = parsed.method;
  head_.is_http_1_0 = parsed.is_http_1_0;
  head_.path = place_of(parsed.path, text);
  if (!parsed.query.empty()) {
    head_.query = place_of(parsed.query, text);
  }
}

void RequestReader::take_field(std::string_view text, Place line) {
  const std::string_view whole = line.in(text);
  if (whole.front() == ' ' || whole.front() == '\t') {
    return refuse(kFoldedField);
  }
  const size_t colon = whole.find(':');
  if (colon == std::string_view::npos || !is_token(whole.substr(0, colon)) ||
      !is_field_value(whole.substr(colon + 1))) {
    return refuse(kBadField);
  }
  if (places_.size() == limits_.fields_max) {
    return refuse(kHeadTooLarge);
  }
  const std::string_view name = whole.substr(0, colon);
  const std::string_view value = trimmed(whole.substr(colon + 1));
  places_.push_back({.name = place_of(name, text), .value = place_of(value, text)});
  note_field(name, value);
}

// Framing and connection hang on five fields, told apart by their lengths first.
void RequestReader::note_field(std::string_view name, std::string_view value) {
  const auto is = [&](std::string_view other) { return equals_ignoring_case(name, other); };
  if (is("host")) {
    head_.hosts += 1;
    if (head_.hosts > 1 || !is_authority(value)) {
      refuse(kBadHost);
    }
  } else if (is("content-length")) {
    note_length(value);
  } else if (is("transfer-encoding")) {
    head_.encodings += 1;
    if (head_.encodings > 1 || head_.is_http_1_0) {
      refuse(kBadEncoding);
    } else if (!equals_ignoring_case(value, "chunked")) {
      refuse(kUnknownEncoding);
    }
  } else if (is("connection")) {
    note_connection(value);
  } else if (is("expect") && !head_.is_http_1_0) {
    head_.expects_continue = true;
    if (!equals_ignoring_case(value, "100-continue")) {
      refuse(kUnknownExpectation);
    }
  }
}

void RequestReader::note_length(std::string_view value) {
  head_.lengths += 1;
  if (head_.lengths > 1 || !is_number(value)) {
    return refuse(kBadLength);
  }
  for (const char digit : value) {
    head_.length = head_.length * 10 + static_cast<uint64_t>(digit - '0');
  }
}

void RequestReader::note_connection(std::string_view value) {
  while (!value.empty()) {
    head_.says_close = equals_ignoring_case(take_list_element(value), "close") || head_.says_close;
  }
}

void RequestReader::end_head(std::string_view text) {
  if (const Refusal* refusal = judge_framing()) {
    return refuse(*refusal);
  }
  head_text_ = gathered_head_.empty() ? text : std::string_view(gathered_head_).substr(0, line_at_);
  if (head_.encodings == 0 && head_.length == 0) {
    state_ = State::kDone;
    return;
  }
  framing_ = head_.encodings > 0 ? Framing::kChunked : Framing::kLength;
  body_bytes_max_ = limits_.body_bytes_max(head());
  if (head_.length > body_bytes_max_) {
    return refuse(kBodyTooLarge);
  }
  state_ = State::kBody;
}

// What only the complete head can show.
const Refusal* RequestReader::judge_framing() const {
  if (head_.hosts == 0 && !head_.is_http_1_0) {
    return &kBadHost;
  }
  if (head_.encodings > 0 && head_.lengths > 0) {
    return &kBadEncoding;
  }
  if (head_.is_http_1_0 && head_.lengths == 0 && needs_length_in_1_0(head_.method)) {
    return &kNoLength;
  }
  return nullptr;
}

// Keeps the head beyond the piece in which it came.
void RequestReader::hold_head() {
  if (gathered_head_.empty()) {
    gathered_head_ = head_text_;
    head_text_ = gathered_head_;
  }
}

size_t RequestReader::take_body(std::string_view bytes) {
  return framing_ == Framing::kLength ? take_length(bytes) : take_chunks(bytes);
}

size_t RequestReader::take_length(std::string_view bytes) {
  const size_t wanted = static_cast<size_t>(head_.length) - gathered_body_.size();
  const std::string_view part = bytes.substr(0, wanted);
  if (part.size() == head_.length) {
    body_ = part;  // In one piece, and not copied.
  } else {
    gathered_body_.reserve(std::min(static_cast<size_t>(head_.length), kBodyBytesTrusted));
    gathered_body_.append(part);
    body_ = gathered_body_;
  }
  if (part.size() == wanted) {
    state_ = State::kDone;
  }
  return part.size();
}

size_t RequestReader::take_chunks(std::string_view bytes) {
  std::string_view rest = bytes;
  while (!rest.empty() && chunks_.state() == net::ChunkedBody::State::kMore) {
    const std::string_view content = chunks_.take(rest);
    const size_t room = body_bytes_max_ - gathered_body_.size();
    if (content.size() > room || chunks_.content_left() > room - content.size()) {
      refuse(kBodyTooLarge);
      return bytes.size();
    }
    gathered_body_.append(content);
  }
  body_ = gathered_body_;
  if (chunks_.state() == net::ChunkedBody::State::kBad) {
    refuse(kBadChunk);
    return bytes.size();
  }
  if (chunks_.state() == net::ChunkedBody::State::kDone) {
    state_ = State::kDone;
  }
  return bytes.size() - rest.size();
}

void RequestReader::give_up() {
  state_ = State::kRefused;
  std::string().swap(gathered_head_);
  std::string().swap(gathered_body_);
}

void RequestReader::refuse(const Refusal& refusal) {
  state_ = State::kRefused;
  refusal_ = &refusal;
}

}  // namespace http
