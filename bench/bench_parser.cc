// What it costs to parse one response with Beast's parsers, with http_parser, and with our reader
// that stands on the first of them. docs/adr/0007 quotes the figures. CPU time per response.

#include <benchmark/benchmark.h>
#include <http_parser.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string>
#include <string_view>

#include "base/check.h"
#include "net/response_reader.h"

namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;
using BeastText = boost::beast::string_view;

// The least that a receiver sends, and what a framework behind a proxy sends.
constexpr std::string_view kSmall = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
constexpr std::string_view kTypical =
    "HTTP/1.1 200 OK\r\n"
    "Date: Sun, 15 Nov 2026 22:13:07 GMT\r\n"
    "Content-Type: application/json; charset=utf-8\r\n"
    "Transfer-Encoding: chunked\r\n"
    "Connection: keep-alive\r\n"
    "Server: nginx/1.22.1\r\n"
    "X-Request-Id: 0f8fad5b-d9cb-469f-a165-70867728950e\r\n"
    "X-Powered-By: Express\r\n"
    "Cache-Control: no-store, max-age=0\r\n"
    "ETag: W/\"f-VaSQ4oDUiZblZNAEkkN+sX+q3Sg\"\r\n"
    "Strict-Transport-Security: max-age=63072000; includeSubDomains\r\n"
    "Vary: Accept-Encoding\r\n"
    "\r\n"
    "f\r\n{\"status\":\"ok\"}\r\n0\r\n\r\n";

std::string_view text_of(const benchmark::State& state) {
  return state.range(0) == 0 ? kSmall : kTypical;
}

// Takes the status, looks at each header, and throws the body away: what any client needs.
class LeanParser : public http::basic_parser<false> {
 public:
  int status = 0;
  size_t seen = 0;

 private:
  void on_request_impl(http::verb, BeastText, BeastText, int, error_code&) override {}
  void on_response_impl(int code, BeastText, int, error_code&) override { status = code; }
  void on_field_impl(http::field, BeastText name, BeastText value, error_code&) override {
    seen += name.size() + value.size();
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(BeastText body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, BeastText, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, BeastText body, error_code&) override {
    return body.size();
  }
  void on_finish_impl(error_code&) override {}
};

void beast_basic_parser(benchmark::State& state) {
  const std::string_view text = text_of(state);
  for (auto _ : state) {
    LeanParser parser;
    parser.eager(true);
    error_code error;
    parser.put(boost::asio::const_buffer(text.data(), text.size()), error);
    CHECK(parser.is_done() && parser.status == 200);
    benchmark::DoNotOptimize(parser.seen);
  }
}
BENCHMARK(beast_basic_parser)->Arg(0)->Arg(1);

void beast_response_parser(benchmark::State& state) {
  const std::string_view text = text_of(state);
  for (auto _ : state) {
    http::response_parser<http::string_body> parser;
    parser.eager(true);
    error_code error;
    parser.put(boost::asio::const_buffer(text.data(), text.size()), error);
    CHECK(parser.is_done() && parser.get().result_int() == 200);
  }
}
BENCHMARK(beast_response_parser)->Arg(0)->Arg(1);

struct Seen {
  size_t bytes = 0;
  bool is_done = false;
};

int see(::http_parser* parser, const char*, size_t size) {
  static_cast<Seen*>(parser->data)->bytes += size;
  return 0;
}

void http_parser_alone(benchmark::State& state) {
  const std::string_view text = text_of(state);
  http_parser_settings settings;
  http_parser_settings_init(&settings);
  settings.on_header_field = see;
  settings.on_header_value = see;
  settings.on_body = see;
  settings.on_message_complete = [](::http_parser* parser) {
    static_cast<Seen*>(parser->data)->is_done = true;
    return 0;
  };
  for (auto _ : state) {
    ::http_parser parser;
    http_parser_init(&parser, HTTP_RESPONSE);
    Seen seen;
    parser.data = &seen;
    http_parser_execute(&parser, &settings, text.data(), text.size());
    CHECK(seen.is_done && parser.status_code == 200);
    benchmark::DoNotOptimize(seen.bytes);
  }
}
BENCHMARK(http_parser_alone)->Arg(0)->Arg(1);

void our_reader(benchmark::State& state) {
  const std::string_view text = text_of(state);
  for (auto _ : state) {
    net::ResponseReader reader;
    CHECK(reader.feed(text) == net::ResponseReader::State::kDone);
    benchmark::DoNotOptimize(reader.head());
  }
}
BENCHMARK(our_reader)->Arg(0)->Arg(1);

}  // namespace
