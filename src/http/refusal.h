// Why a request is not even handed over: a status, a word for programs, a sentence for people.
//
// After a refusal the connection closes. Either its framing cannot be trusted, so that nobody knows
// where the next request begins, or the rest of the request would have to be read for nothing.
#pragma once

#include <cstdint>
#include <string_view>

namespace http {

struct Refusal {
  uint16_t status;
  std::string_view code;
  std::string_view words;  // a sentence without a full stop; safe inside a JSON string

  friend bool operator==(const Refusal&, const Refusal&) = default;
};

inline constexpr Refusal kBadRequestLine{
    400, "bad_request_line", "the request line is not of the form METHOD /path HTTP/1.1"};
inline constexpr Refusal kBadTarget{
    400, "bad_target", "the path or query holds a character that must be percent-encoded"};
inline constexpr Refusal kBadLineEnd{400, "bad_line_end",
                                     "a line of the head does not end with CR LF"};
inline constexpr Refusal kFoldedField{400, "folded_field",
                                      "a header line begins with a blank; folding is not allowed"};
inline constexpr Refusal kBadField{
    400, "bad_field", "a header line is not of the form Name: value, or holds a control character"};
inline constexpr Refusal kBadHost{400, "bad_host",
                                  "there must be exactly one Host header, with a host name"};
inline constexpr Refusal kBadLength{400, "bad_content_length",
                                    "Content-Length is doubled, not a number, or far too large"};
inline constexpr Refusal kBadEncoding{
    400, "bad_transfer_encoding",
    "Transfer-Encoding is doubled, beside a Content-Length, or in HTTP/1.0"};
inline constexpr Refusal kBadChunk{
    400, "bad_chunk", "the chunked body is malformed, or its extensions or trailers are too long"};
inline constexpr Refusal kTooSlow{408, "too_slow", "the request took too long to arrive"};
inline constexpr Refusal kNoLength{411, "length_required",
                                   "an HTTP/1.0 request of this method needs a Content-Length"};
inline constexpr Refusal kBodyTooLarge{413, "body_too_large",
                                       "the body is larger than this path takes"};
inline constexpr Refusal kTargetTooLong{414, "target_too_long", "the request line is too long"};
inline constexpr Refusal kUnknownExpectation{417, "unknown_expectation",
                                             "Expect may only ask for 100-continue"};
inline constexpr Refusal kPeerFull{429, "too_many_connections",
                                   "there are too many connections from this address"};
inline constexpr Refusal kHeadTooLarge{431, "head_too_large",
                                       "the header lines are too many or too long"};
inline constexpr Refusal kUnknownMethod{501, "unknown_method", "this method is not known here"};
inline constexpr Refusal kUnknownEncoding{501, "unknown_transfer_encoding",
                                          "the only Transfer-Encoding known here is chunked"};
inline constexpr Refusal kTooMuchAtOnce{503, "too_much_at_once",
                                        "too much is arriving at once; try again in a moment"};
inline constexpr Refusal kHouseFull{503, "full_house",
                                    "there are too many connections; try again in a moment"};
inline constexpr Refusal kUnknownVersion{505, "unknown_version",
                                         "only HTTP/1.1 and HTTP/1.0 are spoken here"};

}  // namespace http
