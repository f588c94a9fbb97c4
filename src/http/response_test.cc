#include "http/response.h"

#include <gtest/gtest.h>

#include <string>

#include "http/date_text.h"
#include "http/request_ids.h"

namespace http {
namespace {

constexpr ResponseFrame kFrame{.date = "now", .request_id = "r1"};

std::string text_of(const Response& response, const ResponseFrame& frame) {
  std::string text;
  append_response(text, response, frame);
  return text;
}

TEST(Response, HasStatusDateIdTypeAndLength) {
  EXPECT_EQ(text_of({.status = 202, .content_type = "text/plain", .body = "hello"}, kFrame),
            "HTTP/1.1 202 Accepted\r\nDate: now\r\nX-Request-Id: r1\r\n"
            "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello");
}

TEST(Response, ToHeadSaysTheLengthAndHasNoBody) {
  ResponseFrame frame = kFrame;
  frame.is_head = true;
  const std::string text = text_of({.body = "hello"}, frame);
  EXPECT_NE(text.find("Content-Length: 5\r\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("\r\n\r\n"));
}

TEST(Response, WithoutContentSaysNoLength) {
  EXPECT_EQ(text_of({.status = 204}, kFrame).find("Content-Length"), std::string::npos);
}

TEST(Response, ThatIsTheLastSaysClose) {
  ResponseFrame frame = kFrame;
  frame.closes = true;
  EXPECT_NE(text_of({}, frame).find("\r\nConnection: close\r\n"), std::string::npos);
}

TEST(Response, CannotBeSplitByAValue) {
  Response response;
  response.add("Location", std::string("/a\r\nSet-Cookie: b\0c", 19));
  const std::string text = text_of(response, kFrame);
  EXPECT_NE(text.find("\r\nLocation: /a  Set-Cookie: b c\r\n"), std::string::npos);
}

TEST(Response, ThatStreamsIsChunkedInOneOneAndBareInOneZero) {
  ResponseFrame frame = kFrame;
  frame.is_stream = true;
  EXPECT_NE(text_of({}, frame).find("Transfer-Encoding: chunked\r\n"), std::string::npos);
  frame.is_http_1_0 = true;
  const std::string bare = text_of({}, frame);
  EXPECT_EQ(bare.find("Transfer-Encoding"), std::string::npos);
  EXPECT_EQ(bare.find("Content-Length"), std::string::npos);
}

TEST(Response, WritesChunksWithTheirSizeInHex) {
  std::string text;
  append_chunk(text, std::string(26, 'x'));
  EXPECT_EQ(text, "1a\r\n" + std::string(26, 'x') + "\r\n");
}

TEST(DateText, IsThatOfRfc9110) {
  DateText date;
  EXPECT_EQ(date.at(base::Instant::from_ms(784'111'777'999)), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(date.at(base::Instant::from_ms(784'111'778'000)), "Sun, 06 Nov 1994 08:49:38 GMT");
  EXPECT_EQ(date.at(base::Instant::from_ms(1'709'164'800'000)), "Thu, 29 Feb 2024 00:00:00 GMT");
}

TEST(RequestIds, AreNewUnlessTheClientHasAHarmlessOne) {
  RequestIds ids(7);
  std::string first;
  std::string second;
  ids.assign(first, {});
  ids.assign(second, {});
  EXPECT_EQ(first.size(), 16U);
  EXPECT_NE(first, second);

  const std::string_view head = "X-Request-Id: abc-1.2_Z";
  const FieldPlace place{.name = {.at = 0, .size = 12}, .value = {.at = 14, .size = 9}};
  ids.assign(first, Fields(head, {&place, 1}));
  EXPECT_EQ(first, "abc-1.2_Z");

  const std::string_view bad = "X-Request-Id: a\"b";
  const FieldPlace bad_place{.name = {.at = 0, .size = 12}, .value = {.at = 14, .size = 3}};
  ids.assign(first, Fields(bad, {&bad_place, 1}));
  EXPECT_EQ(first.size(), 16U);
}

}  // namespace
}  // namespace http
