#include "net/chunked_body.h"

#include "net/header_rules.h"

namespace net {
namespace {

constexpr int kDigitsMax = 15;  // No size can overflow.

int digit_of(char byte) {
  if (byte >= '0' && byte <= '9') {
    return byte - '0';
  }
  const char small = static_cast<char>(byte | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

bool is_text(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return (code >= 0x20 && code != 0x7f) || byte == '\t';
}

}  // namespace

std::string_view ChunkedBody::take(std::string_view& bytes) {
  while (state_ == State::kMore && !bytes.empty()) {
    if (place_ == Place::kContent) {
      const std::string_view content = bytes.substr(0, size_);
      bytes.remove_prefix(content.size());
      size_ -= content.size();
      if (size_ == 0) {
        place_ = Place::kContentReturn;
      }
      return content;
    }
    const char byte = bytes.front();
    bytes.remove_prefix(1);
    step(byte);
  }
  return {};
}

void ChunkedBody::step(char byte) {
  switch (place_) {
    case Place::kSizeStart:
    case Place::kSize:
      return take_digit(byte);
    case Place::kExtension:
    case Place::kTrailerStart:
    case Place::kTrailerName:
    case Place::kTrailer:
      return take_dropped(byte);
    case Place::kSizeEnd:
      return expect(byte, '\n', size_ == 0 ? Place::kTrailerStart : Place::kContent);
    case Place::kContent:
      return;  // Taken in one piece, not by the byte.
    case Place::kContentReturn:
      return expect(byte, '\r', Place::kContentEnd);
    case Place::kContentEnd:
      digits_ = 0;
      return expect(byte, '\n', Place::kSizeStart);
    case Place::kTrailerEnd:
      return expect(byte, '\n', Place::kTrailerStart);
    case Place::kEnd:
      state_ = byte == '\n' ? State::kDone : State::kBad;
      return;
  }
}

void ChunkedBody::take_digit(char byte) {
  const int digit = digit_of(byte);
  if (digit >= 0 && digits_ < kDigitsMax) {
    size_ = size_ * 16 + static_cast<uint64_t>(digit);
    digits_ += 1;
    place_ = Place::kSize;
  } else if (place_ == Place::kSize && byte == ';') {
    place_ = Place::kExtension;
  } else if (place_ == Place::kSize && byte == '\r') {
    place_ = Place::kSizeEnd;
  } else {
    state_ = State::kBad;
  }
}

// A byte of an extension or of a trailer line.
void ChunkedBody::take_dropped(char byte) {
  dropped_bytes_ += 1;
  bool is_good = dropped_bytes_ <= kDroppedBytesMax;
  if (place_ == Place::kTrailerStart || place_ == Place::kTrailerName) {
    const bool is_last_line = place_ == Place::kTrailerStart && byte == '\r';
    const bool is_name_end = place_ == Place::kTrailerName && byte == ':';
    is_good = is_good && (is_last_line || is_name_end || is_header_name({&byte, 1}));
    place_ = is_last_line ? Place::kEnd : is_name_end ? Place::kTrailer : Place::kTrailerName;
  } else if (byte == '\r') {
    place_ = place_ == Place::kExtension ? Place::kSizeEnd : Place::kTrailerEnd;
  } else {
    is_good = is_good && is_text(byte);
  }
  if (!is_good) {
    state_ = State::kBad;
  }
}

void ChunkedBody::expect(char byte, char expected, Place next) {
  place_ = next;
  if (byte != expected) {
    state_ = State::kBad;
  }
}

}  // namespace net
