// Header rules: an accepted header is one line on the wire, of exactly this name and value, and
// nothing that the server sets itself.

#include <algorithm>
#include <string>
#include <vector>

#include "base/check.h"
#include "net/header_rules.h"
#include "tests/fuzz/fuzz_target.h"

namespace fuzz {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 32) : c;
  });
  return result;
}

// Reads a block of lines as a lenient receiver would: CR, LF or NUL end a line, the name ends at
// the first colon, blanks around the value are dropped.
std::vector<net::Header> read_leniently(std::string_view block) {
  std::vector<net::Header> headers;
  std::string_view rest = block;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find_first_of(std::string_view("\r\n\0", 3)), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty()) {
      continue;
    }
    const size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    const size_t first = value.find_first_not_of(" \t");
    value = first == std::string_view::npos ? "" : value.substr(first);
    value = value.substr(0, value.find_last_not_of(" \t") + 1);
    headers.push_back({std::string(line.substr(0, colon)), std::string(value)});
  }
  return headers;
}

void check_accepted(const std::string& name, const std::string& value) {
  CHECK(!name.empty() && name.size() + value.size() <= net::kCustomHeaderSizeMax);
  for (const char c : name + value) {
    CHECK((c >= ' ' && c < '\x7f') || c == '\t');
  }
  const std::string small = lower(name);
  for (const char* reserved : {"host", "content-length", "transfer-encoding", "connection", "te",
                               "trailer", "upgrade", "expect", "keep-alive"}) {
    CHECK(small != reserved);
  }
  for (const char* prefix : {"proxy-", "webhook-", "postrider-"}) {
    CHECK(!small.starts_with(prefix));
  }
  const auto read = read_leniently("A: b\r\n" + name + ": " + value + "\r\nC: d\r\n");
  CHECK(read.size() == 3);
  CHECK(read[1].name == name && read[1].value == value);
}

void check_one(const std::string& name, const std::string& value) {
  const bool is_accepted = net::check_custom_header(name, value).has_value();
  const bool is_well_formed =
      net::is_header_name(name) && net::is_header_value(value) && !net::is_reserved_header(name);
  CHECK(is_accepted == (is_well_formed && name.size() + value.size() <= 4096));
  if (is_accepted) {
    check_accepted(name, value);
  }
}

// Lines of the input as a set of headers.
void check_set(std::string_view input) {
  std::vector<net::Header> headers;
  while (!input.empty()) {
    const size_t end = std::min(input.find('\n'), input.size());
    const std::string_view line = input.substr(0, end);
    const size_t colon = std::min(line.find(':'), line.size());
    headers.push_back({std::string(line.substr(0, colon)),
                       std::string(line.substr(std::min(colon + 1, line.size())))});
    input.remove_prefix(std::min(end + 1, input.size()));
  }
  if (!net::check_custom_headers(headers).has_value()) {
    return;
  }
  CHECK(headers.size() <= net::kCustomHeadersMax);
  std::vector<std::string> names;
  for (const net::Header& header : headers) {
    CHECK(net::check_custom_header(header.name, header.value).has_value());
    names.push_back(lower(header.name));
  }
  std::ranges::sort(names);
  CHECK(std::ranges::adjacent_find(names) == names.end());
}

}  // namespace

void check(std::string_view input) {
  const size_t colon = std::min(input.find(':'), input.size());
  check_one(std::string(input.substr(0, colon)),
            std::string(input.substr(std::min(colon + 1, input.size()))));
  check_one("X-Value", std::string(input));
  check_one(std::string(input), "value");
  check_set(input);
}

}  // namespace fuzz
