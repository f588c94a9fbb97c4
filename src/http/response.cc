#include "http/response.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <utility>

#include "base/check.h"
#include "http/grammar.h"

namespace http {
namespace {

// Room for the lines that every answer has, so that appending them allocates once.
constexpr size_t kUsualHeadBytes = 256;

constexpr auto kReasons = std::to_array<std::pair<uint16_t, std::string_view>>({
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {207, "Multi-Status"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
    {505, "HTTP Version Not Supported"},
});

std::string_view reason_of(uint16_t status) {
  const auto found = std::ranges::find(kReasons, status, [](const auto& row) { return row.first; });
  return found == kReasons.end() ? std::string_view() : found->second;
}

void append_number(std::string& out, size_t number, int radix = 10) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), number, radix);
  out.append(digits.data(), end.ptr);
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  out.append(name);
  out.append(": ");
  out.append(value);
  out.append("\r\n");
}

void append_framing(std::string& out, const Response& response, const ResponseFrame& frame) {
  const bool has_no_body = response.status == 204 || response.status == 304;
  if (frame.is_stream && !frame.is_http_1_0) {
    append_field(out, "Transfer-Encoding", "chunked");
  } else if (!frame.is_stream && !has_no_body) {
    out.append("Content-Length: ");
    append_number(out, response.body.size());
    out.append("\r\n");
  }
  if (frame.closes) {
    append_field(out, "Connection", "close");
  }
}

}  // namespace

void Response::add(std::string_view name, std::string_view value) {
  CHECK(is_token(name));
  net::Header field{.name = std::string(name), .value = std::string(value)};
  for (char& character : field.value) {
    character = is_field_value({&character, 1}) ? character : ' ';
  }
  fields.push_back(std::move(field));
}

void append_response(std::string& out, const Response& response, const ResponseFrame& frame) {
  CHECK(response.status >= 200 && response.status <= 599);
  out.reserve(out.size() + kUsualHeadBytes + response.body.size());
  out.append("HTTP/1.1 ");
  append_number(out, response.status);
  out.append(" ");
  out.append(reason_of(response.status));
  out.append("\r\n");
  append_field(out, "Date", frame.date);
  append_field(out, "X-Request-Id", frame.request_id);
  if (!response.content_type.empty()) {
    append_field(out, "Content-Type", response.content_type);
  }
  for (const net::Header& field : response.fields) {
    append_field(out, field.name, field.value);
  }
  append_framing(out, response, frame);
  out.append("\r\n");
  if (!frame.is_head && !frame.is_stream) {
    out.append(response.body);
  }
}

void append_chunk(std::string& out, std::string_view bytes) {
  CHECK(!bytes.empty());
  append_number(out, bytes.size(), 16);
  out.append("\r\n");
  out.append(bytes);
  out.append("\r\n");
}

}  // namespace http
