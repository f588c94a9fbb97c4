#include "match/json.h"

#include <fmt/core.h>
#include <simdjson.h>

#include <bit>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "match/json_keys.h"
#include "match/json_raw.h"
#include "match/json_scan.h"

namespace match {

namespace {

namespace dom = simdjson::dom;

constexpr size_t kCapacityMin = 4096;

// simdjson's handles are a pointer and an index too. Ours differ in name only, so that its header
// of 30 000 lines stays in this file.
template <class Handle, class Place>
Handle handle_at(Place place) {
  static_assert(std::is_trivially_copyable_v<Handle> && sizeof(Handle) == sizeof(Place));
  return std::bit_cast<Handle>(place);
}

template <class Place, class Handle>
Place place_of(Handle handle) {
  static_assert(std::is_trivially_copyable_v<Handle> && sizeof(Handle) == sizeof(Place));
  return std::bit_cast<Place>(handle);
}

// What a value is was asked before it is read, so a refusal is a mistake of ours.
template <class T>
T must(simdjson::simdjson_result<T> result) {
  T value{};
  CHECK(std::move(result).get(value) == simdjson::SUCCESS);
  return value;
}

JsonKind kind_of(dom::element_type type) {
  switch (type) {
    case dom::element_type::ARRAY:
      return JsonKind::kArray;
    case dom::element_type::OBJECT:
      return JsonKind::kObject;
    case dom::element_type::INT64:
      return JsonKind::kInteger;
    case dom::element_type::UINT64:
      return JsonKind::kUnsigned;
    case dom::element_type::DOUBLE:
      return JsonKind::kDouble;
    case dom::element_type::STRING:
      return JsonKind::kString;
    case dom::element_type::BOOL:
      return JsonKind::kBool;
    case dom::element_type::NULL_VALUE:
      break;
  }
  return JsonKind::kNull;
}

}  // namespace

JsonKind JsonValue::kind() const {
  if (place_.document == nullptr) {
    return JsonKind::kMissing;
  }
  return kind_of(handle_at<dom::element>(place_).type());
}

bool JsonValue::is_missing_or_null() const { return kind() <= JsonKind::kNull; }

bool JsonValue::as_bool() const { return must(handle_at<dom::element>(place_).get_bool()); }
int64_t JsonValue::as_integer() const { return must(handle_at<dom::element>(place_).get_int64()); }
uint64_t JsonValue::as_unsigned() const {
  return must(handle_at<dom::element>(place_).get_uint64());
}
double JsonValue::as_double() const { return must(handle_at<dom::element>(place_).get_double()); }
std::string_view JsonValue::as_string() const {
  return must(handle_at<dom::element>(place_).get_string());
}

JsonValue JsonValue::find(std::string_view key) const {
  if (kind() != JsonKind::kObject) {
    return {};
  }
  dom::element found;
  if (must(handle_at<dom::element>(place_).get_object()).at_key(key).get(found) !=
      simdjson::SUCCESS) {
    return {};
  }
  return JsonValue(place_of<Place>(found));
}

size_t JsonValue::size() const {
  switch (kind()) {
    case JsonKind::kArray:
      return must(handle_at<dom::element>(place_).get_array()).size();
    case JsonKind::kObject:
      return must(handle_at<dom::element>(place_).get_object()).size();
    default:
      return 0;
  }
}

JsonElements JsonValue::elements() const {
  if (kind() != JsonKind::kArray) {
    return {JsonElements::Iterator({}), JsonElements::Iterator({})};
  }
  const dom::array array = must(handle_at<dom::element>(place_).get_array());
  return {JsonElements::Iterator(place_of<Place>(array.begin())),
          JsonElements::Iterator(place_of<Place>(array.end()))};
}

JsonMembers JsonValue::members() const {
  if (kind() != JsonKind::kObject) {
    return {JsonMembers::Iterator({}), JsonMembers::Iterator({})};
  }
  const dom::object object = must(handle_at<dom::element>(place_).get_object());
  return {JsonMembers::Iterator(place_of<Place>(object.begin())),
          JsonMembers::Iterator(place_of<Place>(object.end()))};
}

JsonValue JsonElements::Iterator::operator*() const {
  return JsonValue(place_of<JsonValue::Place>(*handle_at<dom::array::iterator>(place_)));
}

JsonElements::Iterator& JsonElements::Iterator::operator++() {
  auto next = handle_at<dom::array::iterator>(place_);
  place_ = place_of<JsonValue::Place>(++next);
  return *this;
}

JsonMember JsonMembers::Iterator::operator*() const {
  const auto at = handle_at<dom::object::iterator>(place_);
  return {.key = at.key(), .value = JsonValue(place_of<JsonValue::Place>(at.value()))};
}

JsonMembers::Iterator& JsonMembers::Iterator::operator++() {
  auto next = handle_at<dom::object::iterator>(place_);
  place_ = place_of<JsonValue::Place>(++next);
  return *this;
}

struct JsonParser::Engine {
  dom::parser parser{kJsonBytesMax * 2};  // room for what widen() inserts
  std::vector<char>
      padded;  // simdjson reads beyond the end, so it gets a copy with an end to spare
  JsonKeys keys;

  simdjson::error_code parse(std::string_view text, dom::element& root) {
    if (padded.size() < text.size() + simdjson::SIMDJSON_PADDING) {
      const size_t capacity = std::bit_ceil(std::max(text.size(), kCapacityMin));
      padded.resize(capacity + simdjson::SIMDJSON_PADDING);
      // A value counts as one level for simdjson, hence one more than we allow.
      const simdjson::error_code error = parser.allocate(capacity, kJsonDepthMax + 1);
      if (error != simdjson::SUCCESS) {
        return error;
      }
    }
    text.copy(padded.data(), text.size());
    return parser.parse(padded.data(), text.size(), false).get(root);
  }

  // Where something begins in the text that was looked at last.
  std::span<const uint32_t> places() const {
    return {parser.implementation->structural_indexes.get(),
            parser.implementation->n_structural_indexes};
  }
  // Looks at a text for its places alone; it is no longer than the one that was parsed.
  simdjson::error_code find_places(std::string_view text) {
    text.copy(padded.data(), text.size());
    return parser.implementation->stage1(reinterpret_cast<const uint8_t*>(padded.data()),
                                         text.size(), simdjson::stage1_mode::regular);
  }
};

namespace {

// simdjson takes any number of digits if the number looks like a decimal.
std::string widen(std::string_view text, const std::vector<size_t>& integer_ends) {
  std::string wide;
  size_t begin = 0;
  for (const size_t end : integer_ends) {
    wide.append(text.substr(begin, end - begin)).append("e0");
    begin = end;
  }
  return wide.append(text.substr(begin));
}

std::unexpected<base::Error> refuse(std::string detail) {
  return base::fail(base::ErrorCode::kInvalid, std::move(detail));
}

}  // namespace

JsonParser::JsonParser() : engine_(std::make_unique<Engine>()) {}
JsonParser::~JsonParser() = default;

base::Result<JsonValue> JsonParser::parse(std::string_view text) {
  if (text.size() > kJsonBytesMax) {
    return refuse(
        fmt::format("the JSON has {} bytes; at most {} are taken", text.size(), kJsonBytesMax));
  }
  dom::element root;
  simdjson::error_code error = engine_->parse(text, root);
  if (error != simdjson::SUCCESS) {
    const JsonScan scan = scan_json(text);
    if (scan.fault.has_value()) {
      return refuse(fmt::format("at byte {}: {}", scan.fault->offset, scan.fault->what));
    }
    error = engine_->parse(widen(text, scan.wide_integer_ends), root);
    if (error == simdjson::SUCCESS) {
      error = engine_->find_places(text);  // as it came, for raw_member()
    }
  }
  if (error != simdjson::SUCCESS) {
    return refuse(fmt::format("not valid JSON: {}", simdjson::error_message(error)));
  }
  std::string problem = engine_->keys.find_problem(root);
  if (!problem.empty()) {
    return refuse(std::move(problem));
  }
  return JsonValue(place_of<JsonValue::Place>(root));
}

std::optional<std::string_view> JsonParser::raw_member(std::string_view text,
                                                       std::string_view key) const {
  return match::raw_member(text, engine_->places(), key);
}

}  // namespace match
