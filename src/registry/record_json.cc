#include "registry/record_json.h"

#include <fmt/format.h>

#include <optional>
#include <span>

#include "secrets/base64.h"
#include "text/id_text.h"

namespace registry {

using match::JsonKind;
using match::JsonValue;

std::string RecordReader::text(std::string_view name) {
  const JsonValue value = value_.find(name);
  if (value.kind() == JsonKind::kMissing) {
    return {};
  }
  if (value.kind() != JsonKind::kString) {
    refuse();
    return {};
  }
  return std::string(value.as_string());
}

std::string RecordReader::bytes(std::string_view name) {
  const std::string encoded = text(name);
  std::string decoded(encoded.size(), '\0');
  const std::span<uint8_t> room(reinterpret_cast<uint8_t*>(decoded.data()), decoded.size());
  const std::optional<size_t> size = secrets::decode_base64(encoded, room);
  if (!size) {
    refuse();
    return {};
  }
  decoded.resize(*size);
  return decoded;
}

int64_t RecordReader::number(std::string_view name, int64_t otherwise) {
  const JsonValue value = value_.find(name);
  if (value.kind() == JsonKind::kMissing) {
    return otherwise;
  }
  if (value.kind() != JsonKind::kInteger) {
    refuse();
    return otherwise;
  }
  return value.as_integer();
}

bool RecordReader::truth(std::string_view name) {
  const JsonValue value = value_.find(name);
  if (value.kind() == JsonKind::kMissing) {
    return false;
  }
  if (value.kind() != JsonKind::kBool) {
    refuse();
    return false;
  }
  return value.as_bool();
}

base::Result<RecordReader> open_record(match::JsonParser& parser, const model::Document& document) {
  const auto value = parser.parse(document.value);
  if (!value.has_value() || value->kind() != JsonKind::kObject) {
    return corrupt_record(document);
  }
  RecordReader reader(*value);
  if (reader.number("v") != kRecordVersion) {
    return corrupt_record(document);
  }
  return reader;
}

std::unexpected<base::Error> corrupt_record(const model::Document& document) {
  return base::fail(
      base::ErrorCode::kCorrupt,
      fmt::format("document \"{}\" of table {} and tenant {} is damaged, or was "
                  "written by another version of Postrider",
                  document.key, static_cast<int>(document.table), text::id_text(document.tenant)));
}

void write_text(text::JsonWriter& writer, std::string_view name, std::string_view value) {
  if (!value.empty()) {
    writer.field(name, value);
  }
}

void write_bytes(text::JsonWriter& writer, std::string_view name, std::string_view value) {
  std::string encoded;
  secrets::append_base64(encoded, {reinterpret_cast<const uint8_t*>(value.data()), value.size()});
  write_text(writer, name, encoded);
}

void write_number(text::JsonWriter& writer, std::string_view name, int64_t value) {
  if (value != 0) {
    writer.field(name, value);
  }
}

namespace {

void copy_object(text::JsonWriter& writer, JsonValue value) {
  writer.begin_object();
  for (const match::JsonMember member : value.members()) {
    writer.key(member.key);
    copy_json(writer, member.value);
  }
  writer.end_object();
}

void copy_array(text::JsonWriter& writer, JsonValue value) {
  writer.begin_array();
  for (const JsonValue element : value.elements()) {
    copy_json(writer, element);
  }
  writer.end_array();
}

}  // namespace

void copy_json(text::JsonWriter& writer, JsonValue value) {
  switch (value.kind()) {
    case JsonKind::kMissing:
    case JsonKind::kNull:
      writer.null();
      return;
    case JsonKind::kBool:
      writer.value(value.as_bool());
      return;
    case JsonKind::kInteger:
      writer.value(value.as_integer());
      return;
    case JsonKind::kUnsigned:
      writer.value(value.as_unsigned());
      return;
    case JsonKind::kDouble:
      writer.value(value.as_double());
      return;
    case JsonKind::kString:
      writer.value(value.as_string());
      return;
    case JsonKind::kArray:
      copy_array(writer, value);
      return;
    case JsonKind::kObject:
      copy_object(writer, value);
      return;
  }
}

}  // namespace registry
