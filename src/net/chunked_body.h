// Takes the chunked framing off a body, byte by byte as it comes, strictly by RFC 9112: what is not
// exactly right ends it as bad. Extensions and trailers are dropped, and bounded: nobody can keep a
// reader busy with bytes that count for nothing.
//
// Our own, because Beast's chunk parser stops the process when the last chunk's line is cut at a
// certain place (an assertion, found by tests/fuzz/fuzz_response.cc); a receiver can cut where it
// likes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace net {

class ChunkedBody {
 public:
  enum class State : uint8_t { kMore, kDone, kBad };

  // Of extensions and trailers together, over the whole body.
  static constexpr size_t kDroppedBytesMax = size_t{8} * 1024;

  // Takes the first of `bytes` off and returns the content among them: up to the end of a chunk at
  // most, so that what comes back is one piece. To be called until `bytes` is empty or state() is
  // not kMore. Bytes after the end are left.
  std::string_view take(std::string_view& bytes);

  State state() const { return state_; }
  // What is still to come of the chunk under way, by its own word.
  uint64_t content_left() const { return place_ == Place::kContent ? size_ : 0; }

 private:
  // Where in the framing the next byte is.
  enum class Place : uint8_t {
    kSizeStart,  // at least one digit must come
    kSize,
    kExtension,  // ignored, up to the end of its line
    kSizeEnd,    // the line feed
    kContent,
    kContentReturn,
    kContentEnd,
    kTrailerStart,  // a trailer line, or the last line, which is empty
    kTrailerName,
    kTrailer,
    kTrailerEnd,
    kEnd,
  };

  void step(char byte);
  void take_digit(char byte);
  void take_dropped(char byte);
  void expect(char byte, char expected, Place next);

  State state_ = State::kMore;
  Place place_ = Place::kSizeStart;
  uint64_t size_ = 0;  // of the chunk, or what is left of it
  int digits_ = 0;
  size_t dropped_bytes_ = 0;
};

}  // namespace net
