#include "text/json_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace text {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_continuation(unsigned byte) { return (byte & 0xC0U) == 0x80U; }

// How many bytes the sequence that begins here has, or 0 if it is none: overlong forms, surrogates
// and everything above U+10FFFF are none.
size_t utf8_length(std::string_view text) {
  const auto at = [&](size_t index) {
    return index < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[index]))
                               : 0U;
  };
  const unsigned first = at(0);
  if (first < 0x80) {
    return 1;
  }
  const unsigned second = at(1);
  if (first >= 0xC2 && first <= 0xDF) {
    return is_continuation(second) ? 2 : 0;
  }
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return second >= low && second <= high && is_continuation(at(2)) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
    return second >= low && second <= high && is_continuation(at(2)) && is_continuation(at(3)) ? 4
                                                                                               : 0;
  }
  return 0;
}

void append_escaped(std::string& out, char character) {
  switch (character) {
    case '"':
      out.append("\\\"");
      return;
    case '\\':
      out.append("\\\\");
      return;
    case '\n':
      out.append("\\n");
      return;
    case '\r':
      out.append("\\r");
      return;
    case '\t':
      out.append("\\t");
      return;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(character));
  }
}

bool is_plain(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte >= 0x20 && byte < 0x7F && character != '"' && character != '\\';
}

}  // namespace

void append_json_string(std::string& out, std::string_view value) {
  out.push_back('"');
  while (!value.empty()) {
    size_t plain = 0;
    while (plain < value.size() && is_plain(value[plain])) {
      ++plain;
    }
    out.append(value.substr(0, plain));
    value.remove_prefix(plain);
    if (value.empty()) {
      break;
    }
    const size_t length = utf8_length(value);
    if (length == 0) {
      out.append(kReplacement);
    } else if (length == 1) {
      append_escaped(out, value.front());
    } else {
      out.append(value.substr(0, length));
    }
    value.remove_prefix(length == 0 ? 1 : length);
  }
  out.push_back('"');
}

void JsonWriter::separate() {
  if (needs_comma_) {
    out_.push_back(',');
  }
  needs_comma_ = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_.push_back(bracket);
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_.push_back(bracket);
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_json_string(out_, name);
  out_.push_back(':');
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_json_string(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) { return raw(truth ? "true" : "false"); }

JsonWriter& JsonWriter::value_signed(int64_t number) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  return *this;
}

JsonWriter& JsonWriter::value_unsigned(uint64_t number) {
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) {
    return null();  // JSON has no word for it
  }
  separate();
  fmt::format_to(std::back_inserter(out_), "{}", number);
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_.append(json);
  return *this;
}

}  // namespace text
