// Writes JSON by appending to a string: answers, logs, documents. Commas are put where they belong;
// what is opened must be closed by who opened it.
//
// Texts may come from anywhere: control characters are escaped, and bytes that are not UTF-8 become
// U+FFFD, so that whatever a receiver sent, the result is JSON.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace text {

// In double quotes.
void append_json_string(std::string& out, std::string_view value);

class JsonWriter {
 public:
  // The string outlives the writer; what it holds already stays.
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }

  // To be followed by a value, or by what begins one.
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth);
  template <std::integral Number>
  JsonWriter& value(Number number) {
    if constexpr (std::signed_integral<Number>) {
      return value_signed(number);
    } else {
      return value_unsigned(number);
    }
  }
  JsonWriter& value(double number);
  JsonWriter& null() { return raw("null"); }
  // `json` is written as it is.
  JsonWriter& raw(std::string_view json);

  // One member of an object.
  template <class Value>
  JsonWriter& field(std::string_view name, const Value& it) {
    key(name);
    return value(it);
  }
  // null if there is none.
  template <class Value>
  JsonWriter& field(std::string_view name, const std::optional<Value>& it) {
    key(name);
    return it.has_value() ? value(*it) : null();
  }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& value_signed(int64_t number);
  JsonWriter& value_unsigned(uint64_t number);
  void separate();

  std::string& out_;
  bool needs_comma_ = false;
};

}  // namespace text
