#include "net/response_reader.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/none.hpp>
#include <utility>

#include "base/check.h"

namespace net {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using BeastText = boost::beast::string_view;

constexpr std::string_view kPrefix = "HTTP/1.";

bool is_number(BeastText text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char digit) { return digit >= '0' && digit <= '9'; });
}

std::string_view words_of(const error_code& error) {
  if (error == http::error::bad_version) {
    return "the version in the status line is not HTTP/1.0 or HTTP/1.1";
  }
  if (error == http::error::bad_status || error == http::error::bad_reason) {
    return "the status line is malformed";
  }
  if (error == http::error::bad_content_length || error == http::error::multiple_content_length) {
    return "Content-Length is doubled, malformed, or beside a Transfer-Encoding";
  }
  if (error == http::error::bad_transfer_encoding) {
    return "Transfer-Encoding is doubled, not chunked, or beside a Content-Length";
  }
  return "a header line is malformed";
}

}  // namespace

// Beast finds the tokens and the framing of a head; what it would let pass is refused here.
class ResponseReader::HeadParser : public http::basic_parser<false> {
 public:
  HeadParser() {
    header_limit(UINT32_MAX);  // The reader has its own limits.
    body_limit(boost::none);
  }

  unsigned status() const { return status_; }

 private:
  void on_request_impl(http::verb /*method*/, BeastText /*name*/, BeastText /*target*/,
                       int /*version*/, error_code& /*error*/) override {}
  void on_response_impl(int status, BeastText /*reason*/, int /*version*/,
                        error_code& error) override {
    status_ = static_cast<unsigned>(status);
    if (status_ < 100 || status_ > 599) {
      error = http::error::bad_status;
    }
  }
  void on_field_impl(http::field name, BeastText /*name_text*/, BeastText value,
                     error_code& error) override {
    if (name == http::field::content_length) {
      lengths_ += 1;
      if (lengths_ > 1 || encodings_ > 0 || !is_number(value)) {
        error = http::error::bad_content_length;
      }
    } else if (name == http::field::transfer_encoding) {
      encodings_ += 1;
      if (encodings_ > 1 || lengths_ > 0 || !boost::beast::iequals(value, "chunked")) {
        error = http::error::bad_transfer_encoding;
      }
    }
  }
  void on_header_impl(error_code& /*error*/) override {}
  // It is never given a body.
  void on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/,
                         error_code& /*error*/) override {}
  std::size_t on_body_impl(BeastText body, error_code& /*error*/) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t /*size*/, BeastText /*extensions*/,
                            error_code& /*error*/) override {}
  std::size_t on_chunk_body_impl(std::uint64_t /*remain*/, BeastText body,
                                 error_code& /*error*/) override {
    return body.size();
  }
  void on_finish_impl(error_code& /*error*/) override {}

  unsigned status_ = 0;
  int lengths_ = 0;
  int encodings_ = 0;
};

ResponseReader::ResponseReader(const ResponseLimits& limits) : limits_(limits) {}

ResponseReader::State ResponseReader::feed(std::string_view bytes) {
  CHECK(state_ == State::kHead || state_ == State::kBody);
  has_begun_ = has_begun_ || !bytes.empty();
  if (state_ == State::kHead) {
    take_head(bytes);
  } else {
    take_body(bytes);
  }
  return state_;
}

ResponseReader::State ResponseReader::end_of_stream() {
  CHECK(state_ == State::kHead || state_ == State::kBody);
  if (state_ == State::kHead) {
    reject("the connection ended within the head");
  } else {
    end_body(false);
  }
  return state_;
}

// Takes heads, interim ones too, and when the final one is complete what follows it.
void ResponseReader::take_head(std::string_view bytes) {
  const bool is_gathered = !pending_.empty();
  if (is_gathered) {
    pending_.append(bytes);
    bytes = pending_;
  }
  size_t end = 0;
  while (state_ == State::kHead && find_head_end(bytes, end)) {
    parse_head(bytes.substr(0, end));
    bytes.remove_prefix(end);
    lines_seen_ = 0;
    scanned_ = 0;
  }
  if (state_ == State::kBody) {
    take_body(bytes);
  }
  if (state_ != State::kHead) {
    pending_.clear();
  } else if (is_gathered) {
    pending_.erase(0, pending_.size() - bytes.size());
  } else {
    pending_ = bytes;
  }
}

// False as long as the head is not complete; also when it was rejected.
bool ResponseReader::find_head_end(std::string_view text, size_t& end) {
  if (!kPrefix.starts_with(text.substr(0, kPrefix.size()))) {
    reject("what came back does not begin with HTTP/1.");
    return false;
  }
  for (;;) {
    const size_t feed = text.find('\n', scanned_);
    if (feed == std::string_view::npos || feed >= limits_.head_bytes_max) {
      if (text.size() > limits_.head_bytes_max) {
        reject("the head is too long");
      }
      return false;
    }
    if (feed == 0 || text[feed - 1] != '\r') {
      reject("a line of the head does not end with CR LF");
      return false;
    }
    const bool is_empty = feed - 1 == scanned_;
    if (is_empty) {
      end = feed + 1;
      return true;
    }
    if (text[scanned_] == ' ' || text[scanned_] == '\t') {
      reject("a header line is folded");
      return false;
    }
    lines_seen_ += 1;
    if (lines_seen_ > limits_.head_lines_max) {
      reject("the head has too many lines");
      return false;
    }
    scanned_ = feed + 1;
  }
}

void ResponseReader::parse_head(std::string_view text) {
  HeadParser parser;
  error_code error;
  const size_t taken = parser.put(boost::asio::const_buffer(text.data(), text.size()), error);
  if (error) {
    return reject(words_of(error));
  }
  CHECK(parser.is_header_done() && taken == text.size());
  const unsigned status = parser.status();
  if (status == 101) {
    return reject("the receiver switched protocols without being asked");
  }
  if (status < 200) {
    interims_ += 1;
    if (interims_ > limits_.interim_max) {
      reject("too many interim responses");
    }
    return;
  }
  head_.status = static_cast<uint16_t>(status);
  const size_t first_line = text.find('\n') + 1;
  head_.lines = text.substr(first_line, text.size() - first_line - 2);
  choose_framing(parser);
  state_ = State::kBody;
}

void ResponseReader::choose_framing(const HeadParser& parser) {
  wants_to_go_on_ = parser.keep_alive() && !parser.need_eof();
  if (parser.is_done()) {  // Without a body, by its status or its length.
    framing_ = Framing::kLength;
  } else if (parser.chunked()) {
    framing_ = Framing::kChunked;
  } else if (const auto length = parser.content_length()) {
    framing_ = Framing::kLength;
    length_left_ = *length;
  } else {
    framing_ = Framing::kUntilEnd;
  }
}

void ResponseReader::take_body(std::string_view bytes) {
  const bool is_too_much = bytes.size() > limits_.body_bytes_max - body_bytes_;
  bytes = bytes.substr(0, limits_.body_bytes_max - body_bytes_);
  body_bytes_ += bytes.size();
  const bool is_ended = take_framed(bytes);
  if (is_ended) {
    end_body(bytes.empty() && !is_too_much);
  } else if (body_bytes_ >= limits_.body_bytes_max || chunks_.state() == ChunkedBody::State::kBad) {
    is_body_cut_ = true;
    end_body(false);
  }
}

// Takes what belongs to the body off `bytes`. Says whether the body has ended.
bool ResponseReader::take_framed(std::string_view& bytes) {
  switch (framing_) {
    case Framing::kLength: {
      const std::string_view content = bytes.substr(0, length_left_);
      bytes.remove_prefix(content.size());
      length_left_ -= content.size();
      keep(content);
      return length_left_ == 0;
    }
    case Framing::kChunked:
      while (!bytes.empty() && chunks_.state() == ChunkedBody::State::kMore) {
        keep(chunks_.take(bytes));
      }
      return chunks_.state() == ChunkedBody::State::kDone;
    case Framing::kUntilEnd:
      keep(bytes);
      bytes = {};
      return false;
  }
  return false;
}

void ResponseReader::keep(std::string_view content) {
  const size_t room = limits_.body_bytes_kept - body_.size();
  is_body_cut_ = is_body_cut_ || content.size() > room;
  body_.append(content.substr(0, room));
}

void ResponseReader::end_body(bool is_exact) {
  is_reusable_ = is_exact && wants_to_go_on_;
  state_ = State::kDone;
}

void ResponseReader::reject(std::string_view problem) {
  state_ = State::kMalformed;
  problem_ = problem;
  pending_.clear();
}

}  // namespace net
