// Our own documents as JSON: small objects with a version, fields that have their default left out.
//
// Reading is total: whatever the bytes are, there is a value or one error at the end. Bytes that
// are no text (sealed secrets, digests) are base64.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "match/json.h"
#include "model/document.h"
#include "text/json_writer.h"

namespace registry {

inline constexpr int64_t kRecordVersion = 1;

class RecordReader {
 public:
  explicit RecordReader(match::JsonValue value) : value_(value) {}

  // Empty, zero or false if there is no such field; also if it is of another kind, but then the
  // record is not sound.
  std::string text(std::string_view name);
  std::string bytes(std::string_view name);
  int64_t number(std::string_view name, int64_t otherwise = 0);
  bool truth(std::string_view name);
  base::Instant instant(std::string_view name) { return base::Instant::from_ms(number(name)); }
  base::Duration duration(std::string_view name) { return base::Duration::ms(number(name)); }
  bool has(std::string_view name) const { return !value_.find(name).is_missing_or_null(); }
  match::JsonValue find(std::string_view name) const { return value_.find(name); }

  void refuse() { is_sound_ = false; }
  // Refuses if the other is not sound.
  void include(const RecordReader& part) { is_sound_ = is_sound_ && part.is_sound_; }
  bool is_sound() const { return is_sound_; }

 private:
  match::JsonValue value_;
  bool is_sound_ = true;
};

// kCorrupt if it is no JSON, or of another version.
base::Result<RecordReader> open_record(match::JsonParser& parser, const model::Document& document);
// The error of a document that makes no sense. Names its place, quotes nothing of it.
std::unexpected<base::Error> corrupt_record(const model::Document& document);

// Left out if it is empty, or zero.
void write_text(text::JsonWriter& writer, std::string_view name, std::string_view value);
void write_bytes(text::JsonWriter& writer, std::string_view name, std::string_view value);
void write_number(text::JsonWriter& writer, std::string_view name, int64_t value);
inline void write_instant(text::JsonWriter& writer, std::string_view name, base::Instant value) {
  write_number(writer, name, value.ms());
}

// The value as it was parsed, without blanks.
void copy_json(text::JsonWriter& writer, match::JsonValue value);

}  // namespace registry
