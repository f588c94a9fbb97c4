// How a scalar of JSON reads: subscribers write "100" where the payload has 100, and dates come as
// text. So every comparison goes through a Reading: a number, an instant, or neither.
//
// A text reads as a number if it is one in JSON's grammar, whole: "100", "-1.5e3", not "+1", " 1"
// or "0x10". It reads as an instant if it is an ISO 8601 date or date and time:
// 2022-12-11, 2022-12-11T16:00, 2022-12-11T16:00:00.123Z, with Z, +01:00, +0100 or +01; without an
// offset it is UTC, and digits beyond nanoseconds are cut. Nothing reads as both.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "match/json.h"

namespace match {

// Exact, whatever mixture of integers and doubles is compared.
class Number {
 public:
  Number() = default;
  static Number from(int64_t value);
  static Number from(uint64_t value);
  static Number from(double value);  // no NaN

  std::strong_ordering operator<=>(const Number& other) const;
  bool operator==(const Number&) const = default;
  uint64_t hash() const;

 private:
  // Each value has one form: an integer that fits 64 bits is never kept as a double.
  enum class Form : uint8_t { kInteger, kUnsigned, kDouble };

  Number(Form form, uint64_t bits) : bits_(bits), form_(form) {}
  long double widest() const;  // has 64 bits of mantissa or more: holds every form exactly

  uint64_t bits_ = 0;
  Form form_ = Form::kInteger;
};

struct Moment {
  int64_t seconds = 0;  // since 1970-01-01T00:00:00Z
  uint32_t nanos = 0;

  auto operator<=>(const Moment&) const = default;
};

using Reading = std::variant<std::monostate, Number, Moment>;

std::optional<Number> read_number(std::string_view text);
std::optional<Moment> read_moment(std::string_view text);
// What a scalar reads as; a list or an object reads as nothing.
Reading read(JsonValue value);
// The same for a number or a text, without looking for instants.
std::optional<Number> number_in(JsonValue value);

}  // namespace match
