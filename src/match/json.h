// Strict JSON, parsed once: what a producer published and what a subscriber asked for are read
// through this and nothing else.
//
// Stricter than RFC 8259 where leniency would let two readers see two things: an object may not
// name a key twice, strings are valid Unicode (no lone surrogates), nothing follows the value, and
// nesting ends at kJsonDepthMax. Numbers may have any length; integers beyond 64 bits are kept as
// the nearest double, and only what exceeds a double is refused. An error says where.
//
// simdjson does the work and is seen by json.cc alone. A JsonValue is a place in the parser's
// tape: it costs two words, owns nothing, and is valid until its parser parses again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace match {

inline constexpr size_t kJsonBytesMax = 1'048'576;
inline constexpr size_t kJsonDepthMax = 64;

enum class JsonKind : uint8_t {
  kMissing,  // there is no such place
  kNull,
  kBool,
  kInteger,   // fits int64_t
  kUnsigned,  // fits uint64_t, and not int64_t
  kDouble,
  kString,
  kArray,
  kObject,
};

class JsonElements;
class JsonMembers;

class JsonValue {
 public:
  JsonValue() = default;

  JsonKind kind() const;
  bool is_missing_or_null() const;

  // Each must fit kind().
  bool as_bool() const;
  int64_t as_integer() const;
  uint64_t as_unsigned() const;
  double as_double() const;
  std::string_view as_string() const;  // unescaped; may hold NULs

  // The member of an object; missing if there is none or this is no object.
  JsonValue find(std::string_view key) const;
  // Number of elements or members, exact below 2^24; 0 for anything else.
  size_t size() const;
  // Empty unless this is an array, or an object.
  JsonElements elements() const;
  JsonMembers members() const;

 private:
  friend class JsonElements;
  friend class JsonMembers;
  friend class JsonParser;
  struct Place {
    const void* document = nullptr;
    size_t index = 0;
    bool operator==(const Place&) const = default;
  };

  explicit JsonValue(Place place) : place_(place) {}

  Place place_;
};

struct JsonMember {
  std::string_view key;
  JsonValue value;
};

// The elements of an array, for a range-for.
class JsonElements {
 public:
  class Iterator {
   public:
    explicit Iterator(JsonValue::Place place) : place_(place) {}
    JsonValue operator*() const;
    Iterator& operator++();
    bool operator==(const Iterator&) const = default;

   private:
    JsonValue::Place place_;
  };

  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  friend class JsonValue;
  JsonElements(Iterator begin, Iterator end) : begin_(begin), end_(end) {}

  Iterator begin_;
  Iterator end_;
};

// The members of an object in the order in which they were written, for a range-for.
class JsonMembers {
 public:
  class Iterator {
   public:
    explicit Iterator(JsonValue::Place place) : place_(place) {}
    JsonMember operator*() const;
    Iterator& operator++();
    bool operator==(const Iterator&) const = default;

   private:
    JsonValue::Place place_;
  };

  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  friend class JsonValue;
  JsonMembers(Iterator begin, Iterator end) : begin_(begin), end_(end) {}

  Iterator begin_;
  Iterator end_;
};

// One per thread, kept: it grows to the largest text it has seen and allocates nothing after that.
class JsonParser {
 public:
  JsonParser();
  ~JsonParser();
  JsonParser(const JsonParser&) = delete;
  JsonParser& operator=(const JsonParser&) = delete;

  // kInvalid, with the place, unless `text` is one JSON value. Invalidates earlier values.
  base::Result<JsonValue> parse(std::string_view text);

  // The value of this member of the object `text`, which is what was parsed last: as it is spelt
  // there. Nothing if there is none, or if its key is spelt with escapes; `key` is a word that
  // needs none.
  std::optional<std::string_view> raw_member(std::string_view text, std::string_view key) const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace match
