#include "tests/http/framing_cases.h"

#include <array>

namespace http {
namespace {

using std::string_view_literals::operator""sv;

struct Row {
  std::string_view bytes;
  std::string_view expected;
};

// Whole requests, sent as they are.
constexpr auto kRequestLines = std::to_array<Row>({
    {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"GET /v1/events?type=a&after=%20 HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"GET /a?b[c]=d HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"GET /a?b?c/d HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"GET /? HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"GET //x//y HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", "200 open"},
    {"PATCH /a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", "200 open"},
    {"DELETE /a HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"POST /a HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"GET http://a/b?c HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"GET HTTP://other:80/b HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"GET https://a HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"GET http://a?q HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"GET http://[::1]:8080/ HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "200 open"},
    {"\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET http:///b HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET http://user@a/b HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET ftp://a/b HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET a/b HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET * HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET ?a HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET /  HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {" GET / HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET / HTTP/1.1 \r\nHost: a\r\n\r\n", "400 close"},
    {"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET /a#b HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET /\"a HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET /a\\b HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET /<a> HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET /a[b] HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET /\xc3\xa4 HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n"sv, "400 close"},
    {"GET /\x7f HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET /a\rb HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET / HTTP/1.1\nHost: a\r\n\r\n", "400 close"},
    {"GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", "400 close"},
    {"GET /\r\nHost: a\r\n\r\n", "400 close"},
    {"GET\r\nHost: a\r\n\r\n", "400 close"},
    {"GET / \r\nHost: a\r\n\r\n", "400 close"},
    {"GET / http/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET / HTTP/1.1x\r\nHost: a\r\n\r\n", "400 close"},
    {"GET / HTTP/11\r\nHost: a\r\n\r\n", "400 close"},
    {"GET / HTTP/1,1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET / HTTP/1.10\r\nHost: a\r\n\r\n", "400 close"},
    {"GET / HTTP/ 1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GET / HTTP/1.2\r\nHost: a\r\n\r\n", "505 close"},
    {"GET / HTTP/0.9\r\nHost: a\r\n\r\n", "505 close"},
    {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", "505 close"},
    {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 close"},
    {"CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", "501 close"},
    {"TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", "501 close"},
    {"get / HTTP/1.1\r\nHost: a\r\n\r\n", "501 close"},
    {"GETX / HTTP/1.1\r\nHost: a\r\n\r\n", "501 close"},
    {"G(T / HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"GE\0T / HTTP/1.1\r\nHost: a\r\n\r\n"sv, "400 close"},
    {"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"sv, "400 close"},
    {"\xef\xbb\xbfGET / HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
});

constexpr auto kVersion10 = std::to_array<Row>({
    {"GET / HTTP/1.0\r\n\r\n", "200 close"},
    {"GET / HTTP/1.0\r\nHost: a\r\n\r\n", "200 close"},
    {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "200 close"},
    {"GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", "400 close"},
    {"POST / HTTP/1.0\r\nContent-Length: 2\r\n\r\nok", "200 close"},
    {"POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n", "200 close"},
    {"POST / HTTP/1.0\r\n\r\n", "411 close"},
    {"PUT / HTTP/1.0\r\n\r\n", "411 close"},
    {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400 close"},
    {"POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nok", "200 close"},
    {"POST / HTTP/1.0\r\nExpect: magic\r\nContent-Length: 2\r\n\r\nok", "200 close"},
    {"GET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n", "200 close"},
});

// Header lines between "GET / HTTP/1.1", "Host: a" and the empty line.
constexpr auto kFields = std::to_array<Row>({
    {"Accept: */*\r\n", "200 open"},
    {"X-Empty:\r\n", "200 open"},
    {"X-Tabs:\t a\tb \t\r\n", "200 open"},
    {"X-Bytes: \xc3\xa4\xff\r\n", "200 open"},
    {"!#$%&'*+-.^_`|~: all marks of a token\r\n", "200 open"},
    {"X: a\r\nX: b\r\n", "200 open"},
    {"Upgrade: h2c\r\nConnection: Upgrade\r\n", "200 open"},
    {"Connection: keep-alive\r\n", "200 open"},
    {"Connection: close\r\n", "200 close"},
    {"Connection: Keep-Alive , CLOSE\r\n", "200 close"},
    {"Connection: a\r\nConnection: close\r\n", "200 close"},
    {"Connection: closed\r\n", "200 open"},
    {"Connection:\r\n", "200 open"},
    {"Connection: ,,close\r\n", "200 close"},
    {"Accept : a\r\n", "400 close"},
    {"Accept\t: a\r\n", "400 close"},
    {": a\r\n", "400 close"},
    {"Accept\r\n", "400 close"},
    {"Ac cept: a\r\n", "400 close"},
    {"Acc\xc3\xa9pt: a\r\n", "400 close"},
    {"(Accept): a\r\n", "400 close"},
    {"Accept: a\r\n b\r\n", "400 close"},
    {"Accept: a\r\n\tb\r\n", "400 close"},
    {"Accept: a\r\n \r\n", "400 close"},
    {"Accept: a\n", "400 close"},
    {"Accept: a\nX: b\r\n", "400 close"},
    {"Accept: a\rb\r\n", "400 close"},
    {"Accept: a\r\r\n", "400 close"},
    {"Accept: \0\r\n"sv, "400 close"},
    {"Acc\0ept: a\r\n"sv, "400 close"},
    {"Accept: \x0b\r\n", "400 close"},
    {"Accept: \x7f\r\n", "400 close"},
    {"Accept: a\x1b[0m\r\n", "400 close"},
    {"\n", "400 close"},
    {"Content-Length : 0\r\n", "400 close"},
    {"Transfer-Encoding : chunked\r\n", "400 close"},
    {" Transfer-Encoding: chunked\r\n", "400 close"},
    {"\x0bTransfer-Encoding: chunked\r\n", "400 close"},
    {"X: a\r\n\nTransfer-Encoding: chunked\r\n", "400 close"},
    {"X: a\nTransfer-Encoding: chunked\r\n", "400 close"},
    {"X: a\r\rTransfer-Encoding: chunked\r\n", "400 close"},
    {"X: a\r\nTransfer-Encoding\r\n : chunked\r\n", "400 close"},
    {"Expect: 100-continue\r\n", "200 open"},
    {"Expect: 200-ok\r\n", "417 close"},
    {"Expect: 100-continue, magic\r\n", "417 close"},
    {"Expect:\r\n", "417 close"},
    {"Host: a\r\n", "400 close"},
    {"Host: b\r\n", "400 close"},
    {"host: a\r\n", "400 close"},
});

// Values of the only Host line.
constexpr auto kHosts = std::to_array<Row>({
    {"example.com", "200 open"},
    {"example.com:8080", "200 open"},
    {"127.0.0.1:80", "200 open"},
    {"[::1]:80", "200 open"},
    {"a_b-c", "200 open"},
    {"", "400 close"},
    {" ", "400 close"},
    {":80", "400 close"},
    {"a b", "400 close"},
    {"a,b", "400 close"},
    {"a/b", "400 close"},
    {"user@a", "400 close"},
    {"a?b", "400 close"},
    {"a#b", "400 close"},
    {"http://a", "400 close"},
    {"\xc3\xa4", "400 close"},
    {"a\"", "400 close"},
});

// Values of Content-Length, before a body of five bytes.
constexpr auto kLengths = std::to_array<Row>({
    {"5", "200 open"},
    {"\t 5 \t", "200 open"},
    {"05", "200 open"},
    {"000000000000000005", "200 open"},
    {"0000000000000000005", "400 close"},
    {"", "400 close"},
    {"+5", "400 close"},
    {"-5", "400 close"},
    {"-0", "400 close"},
    {"0x5", "400 close"},
    {"5,5", "400 close"},
    {"5, 5", "400 close"},
    {"5 5", "400 close"},
    {"5;", "400 close"},
    {"5.0", "400 close"},
    {"5e0", "400 close"},
    {"\"5\"", "400 close"},
    {"five", "400 close"},
    {"5\xc2\xa0", "400 close"},
    {"\xd9\xa5", "400 close"},
    {"5\0"sv, "400 close"},
    {"\x0b"
     "5",
     "400 close"},
    {"18446744073709551621", "400 close"},
    {"9223372036854775808", "400 close"},
    {"4294967301", "413 close"},
    {"999999999999999999", "413 close"},
    {"1048577", "413 close"},
    {"5\r\nContent-Length: 5", "400 close"},
    {"5\r\nContent-Length: 6", "400 close"},
    {"5\r\ncontent-length: 5", "400 close"},
    {"0\r\nContent-Length: 5", "400 close"},
    {"5\r\nTransfer-Encoding: chunked", "400 close"},
    {"5\r\nTransfer-Encoding: identity", "501 close"},
});

// Values of Transfer-Encoding, before a chunked body of five bytes.
constexpr auto kEncodings = std::to_array<Row>({
    {"chunked", "200 open"},
    {"CHUNKED", "200 open"},
    {"\tChunked ", "200 open"},
    {"", "501 close"},
    {"identity", "501 close"},
    {"gzip", "501 close"},
    {"gzip, chunked", "501 close"},
    {"chunked, gzip", "501 close"},
    {"chunked, identity", "501 close"},
    {"identity, chunked", "501 close"},
    {"chunked, chunked", "501 close"},
    {"chunked,", "501 close"},
    {",chunked", "501 close"},
    {"chunked;", "501 close"},
    {"chunked;a=b", "501 close"},
    {"\"chunked\"", "501 close"},
    {"'chunked'", "501 close"},
    {"xchunked", "501 close"},
    {"x-chunked", "501 close"},
    {"chunkedx", "501 close"},
    {"chunk", "501 close"},
    {"c hunked", "501 close"},
    {"chunked chunked", "501 close"},
    {"chunked\xc2\xa0", "501 close"},
    {"\xe2\x84\xaahunked", "501 close"},
    {"cow", "501 close"},
    {"chunked\0"sv, "400 close"},
    {"\x0b"
     "chunked",
     "400 close"},
    {"chunked\x0c", "400 close"},
    {"chunked\x7f", "400 close"},
    {"chunked\r\nTransfer-Encoding: chunked", "400 close"},
    {"chunked\r\nTransfer-Encoding: identity", "400 close"},
    {"chunked\r\nContent-Length: 5", "400 close"},
    {"chunked\r\nContent-Length: 0", "400 close"},
    {"chunked\r\nContent-Length: x", "400 close"},
});

// Chunked bodies of a POST to /small.
constexpr auto kChunks = std::to_array<Row>({
    {"0\r\n\r\n", "200 open"},
    {"000\r\n\r\n", "200 open"},
    {"5\r\nhello\r\n0\r\n\r\n", "200 open"},
    {"05\r\nhello\r\n00\r\n\r\n", "200 open"},
    {"a\r\n0123456789\r\n0\r\n\r\n", "200 open"},
    {"A\r\n0123456789\r\n0\r\n\r\n", "200 open"},
    {"1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n", "200 open"},
    {"2\r\n\r\n\r\n0\r\n\r\n", "200 open"},
    {"5;a=b\r\nhello\r\n0;c\r\n\r\n", "200 open"},
    {"5;a=\"b;c\"\r\nhello\r\n0\r\n\r\n", "200 open"},
    {"5\r\nhello\r\n0\r\nTrailer: a\r\nOther:\r\n\r\n", "200 open"},
    {"5\r\nhello\r\n0\r\nContent-Length: 100\r\n\r\n", "200 open"},
    {"5\r\nhello\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "200 200 open"},
    {"5\r\nhello\r\n", "open"},
    {"\r\n", "400 close"},
    {"g\r\n", "400 close"},
    {"0x5\r\nhello\r\n0\r\n\r\n", "400 close"},
    {"+5\r\nhello\r\n0\r\n\r\n", "400 close"},
    {"-5\r\nhello\r\n0\r\n\r\n", "400 close"},
    {" 5\r\nhello\r\n0\r\n\r\n", "400 close"},
    {"5 \r\nhello\r\n0\r\n\r\n", "400 close"},
    {"5\t;a\r\nhello\r\n0\r\n\r\n", "400 close"},
    {"5\nhello\r\n0\r\n\r\n", "400 close"},
    {"5\r\r\nhello\r\n0\r\n\r\n", "400 close"},
    {"5\rhello\r\n0\r\n\r\n", "400 close"},
    {"5,5\r\nhello\r\n0\r\n\r\n", "400 close"},
    {"5\0\r\nhello\r\n0\r\n\r\n"sv, "400 close"},
    {"5;a\nhello\r\n0\r\n\r\n", "400 close"},
    {"5;\x01\r\nhello\r\n0\r\n\r\n", "400 close"},
    {";a\r\nhello\r\n0\r\n\r\n", "400 close"},
    {"5\r\nhello0\r\n\r\n", "400 close"},
    {"5\r\nhello\n0\r\n\r\n", "400 close"},
    {"5\r\nhello\r0\r\n\r\n", "400 close"},
    {"5\r\nhello!\r\n0\r\n\r\n", "400 close"},
    {"4\r\nhello\r\n0\r\n\r\n", "400 close"},
    {"5\r\nhello\r\n0\r\n\n", "400 close"},
    {"5\r\nhello\r\n0\n\r\n", "400 close"},
    {"0\r\n\rX", "400 close"},
    {"0\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "400 close"},
    {"0\r\n folded\r\n\r\n", "400 close"},
    {"0\r\nA: b\r\n c\r\n\r\n", "400 close"},
    {"0\r\nNoColon\r\n\r\n", "400 close"},
    {"0\r\n: a\r\n\r\n", "400 close"},
    {"0\r\nA : b\r\n\r\n", "400 close"},
    {"0\r\nA: b\n\r\n", "400 close"},
    {"0\r\nA: \0\r\n\r\n"sv, "400 close"},
    {"10000000000000000\r\n", "400 close"},
    {"fffffffffffffff\r\nx", "413 close"},
    {"ffffffffffffffff\r\nx", "400 close"},
    {"0000000000000005\r\nhello\r\n0\r\n\r\n", "400 close"},
    {"80000000\r\n", "413 close"},
});

// Several requests on one connection; what hides in a body stays there.
constexpr auto kSequences = std::to_array<Row>({
    {"GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n", "200 200 open"},
    {"GET /1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n",
     "200 close"},
    {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc\r\nGET / HTTP/1.1\r\nHost: a\r\n"
     "\r\n",
     "200 200 open"},
    {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\nHost: a\r\n\r\n",
     "200 200 open"},
    {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcdGET / HTTP/1.1\r\nHost: a\r\n\r\n",
     "200 501 close"},
    {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 32\r\n\r\nGET / HTTP/1.1\r\nHost: "
     "evil\r\n\r\n..",
     "200 open"},
    {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nTransfer-Encoding: "
     "chunked\r\n\r\n0\r\n\r\nG",
     "400 close"},
    {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n"
     "5c\r\nGPOST / HTTP/1.1\r\n\r\n",
     "400 close"},
    {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", "200 open"},
    {"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", "200 open"},
    {"DELETE / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "200 open"},
    {"GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense", "200 open"},
    {"GET / HTTP/1.1\r\nHost: a\r\n\r\n\0"sv, "200 400 close"},
    {"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n\r\n", "200 400 close"},
    {"GET / HTTP/1.1\r\n\r\n", "400 close"},
    {"GET / HTTP/1.1\r\nHost: a\r\n", "open"},
    {"GET / HTTP/1.1\r\nHost: a", "open"},
    {"GET / HT", "open"},
    {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhell", "open"},
    {"POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 65\r\n\r\n", "413 close"},
    {"POST /small HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 65\r\n\r\n",
     "413 close"},
    {"POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-Continue\r\n\r\nbody",
     "200 open"},
});

class CaseList {
 public:
  template <class Rows>
  void add(std::string_view group, const Rows& rows, std::string_view before,
           std::string_view after) {
    size_t number = 0;
    for (const Row& row : rows) {
      number += 1;
      cases_.push_back({.name = std::string(group) + " " + std::to_string(number),
                        .bytes = std::string(before) + std::string(row.bytes) + std::string(after),
                        .expected = std::string(row.expected)});
    }
  }
  void add(std::string_view name, std::string bytes, std::string_view expected) {
    cases_.push_back(
        {.name = std::string(name), .bytes = std::move(bytes), .expected = std::string(expected)});
  }
  std::vector<FramingCase> take() { return std::move(cases_); }

 private:
  std::vector<FramingCase> cases_;
};

std::string with_target_of(size_t line_bytes) {
  const std::string rest = "GET / HTTP/1.1";
  return "GET /" + std::string(line_bytes - rest.size(), 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

// The header lines and the empty one have exactly as many bytes.
std::string with_fields_of(size_t field_bytes) {
  const std::string rest = "Host: a\r\nX: \r\n\r\n";
  return "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(field_bytes - rest.size(), 'x') +
         "\r\n\r\n";
}

std::string with_fields(size_t count) {
  std::string text = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (size_t number = 1; number < count; ++number) {
    text += "X: y\r\n";
  }
  return text + "\r\n";
}

std::string chunked(std::string_view body) {
  return "POST /small HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
         std::string(body);
}

void add_limits(CaseList& list) {
  const RequestLimits limits;
  list.add("longest request line", with_target_of(limits.request_line_bytes_max), "200 open");
  list.add("request line too long", with_target_of(limits.request_line_bytes_max + 1), "414 close");
  list.add("endless request line", "GET /" + std::string(9000, 'a'), "414 close");
  list.add("most header bytes", with_fields_of(limits.field_bytes_max), "200 open");
  list.add("too many header bytes", with_fields_of(limits.field_bytes_max + 1), "431 close");
  list.add("endless header line", "GET / HTTP/1.1\r\nX: " + std::string(33'000, 'a'), "431 close");
  list.add("most header lines", with_fields(limits.fields_max), "200 open");
  list.add("too many header lines", with_fields(limits.fields_max + 1), "431 close");
  const std::string most(kSmallBody, 'b');
  list.add("largest chunked body", chunked("40\r\n" + most + "\r\n0\r\n\r\n"), "200 open");
  list.add("chunked body too large", chunked("41\r\n" + most + "b\r\n0\r\n\r\n"), "413 close");
  list.add("two chunks too large", chunked("40\r\n" + most + "\r\n1\r\nb\r\n0\r\n\r\n"),
           "413 close");
  const size_t dropped = net::ChunkedBody::kDroppedBytesMax;
  list.add("endless extension", chunked("1;" + std::string(dropped + 1, 'e')), "400 close");
  list.add("endless trailer", chunked("0\r\nA: " + std::string(dropped, 't')), "400 close");
  std::string trailers = "0\r\n";
  for (size_t bytes = 0; bytes <= dropped; bytes += 4) {
    trailers += "A: b\r\n";
  }
  list.add("endless trailers", chunked(trailers), "400 close");
  list.add("largest small body",
           "POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 64\r\n\r\n" + most, "200 open");
}

std::vector<FramingCase> make_cases() {
  CaseList list;
  list.add("request line", kRequestLines, "", "");
  list.add("HTTP/1.0", kVersion10, "", "");
  list.add("field", kFields, "GET / HTTP/1.1\r\nHost: a\r\n", "\r\n");
  list.add("host", kHosts, "GET / HTTP/1.1\r\nHost: ", "\r\n\r\n");
  list.add("length", kLengths, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ", "\r\n\r\nhello");
  list.add("encoding", kEncodings,
           "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: ", "\r\n\r\n5\r\nhello\r\n0\r\n\r\n");
  list.add("chunks", kChunks,
           "POST /small HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "");
  list.add("sequence", kSequences, "", "");
  add_limits(list);
  return list.take();
}

}  // namespace

const std::vector<FramingCase>& framing_cases() {
  static const std::vector<FramingCase> kCases = make_cases();
  return kCases;
}

RequestLimits framing_limits() {
  RequestLimits limits;
  limits.body_bytes_max = [](const Request& head) {
    return head.path == "/small" ? kSmallBody : size_t{1024} * 1024;
  };
  return limits;
}

}  // namespace http
