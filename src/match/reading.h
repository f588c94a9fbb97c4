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

#include "match/json.h"

namespace match {

// Compares exactly, whatever mixture of integers and doubles is compared.
class Number {
 public:
  static Number from(int64_t value);
  static Number from(uint64_t value);
  static Number from(double value);  // a number, no NaN

  std::strong_ordering operator<=>(const Number& other) const;
  bool operator==(const Number& other) const { return (*this <=> other) == 0; }
  // Equal for numbers that are equal.
  uint64_t hash() const;

 private:
  // Every double beyond the integers is far from 64 bits, so an integral one is kept as integer.
  enum class Form : uint8_t { kInteger, kUnsigned, kDouble };

  Number(Form form, uint64_t bits) : bits_(bits), form_(form) {}
  long double widest() const;

  uint64_t bits_;
  Form form_;
};

struct Moment {
  int64_t seconds = 0;  // since 1970-01-01T00:00:00Z
  uint32_t nanos = 0;

  auto operator<=>(const Moment&) const = default;
};

std::optional<Number> read_number(std::string_view text);
std::optional<Moment> read_moment(std::string_view text);

// A number, or a text that reads as one.
std::optional<Number> number_in(JsonValue value);

}  // namespace match
