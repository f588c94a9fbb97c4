#include "http/request_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace http {
namespace {

using testing::ElementsAre;
using State = RequestReader::State;

class RequestReaderTest : public testing::Test {
 protected:
  RequestLimits limits_;
  RequestReader reader_{limits_};
};

TEST_F(RequestReaderTest, GivesViewsIntoARequestThatCameInOnePiece) {
  const std::string bytes =
      "POST /v1/events?dry=1 HTTP/1.1\r\nHost: a\r\nX-One:  1 \r\nContent-Length: 4\r\n\r\nbody";
  EXPECT_EQ(reader_.feed(bytes), bytes.size());
  ASSERT_EQ(reader_.state(), State::kDone);
  const Request request = reader_.request();
  EXPECT_EQ(request.method, Method::kPost);
  EXPECT_EQ(request.path, "/v1/events");
  EXPECT_EQ(request.query, "dry=1");
  EXPECT_EQ(request.fields.find("x-one"), "1");
  EXPECT_EQ(request.fields.size(), 3U);
  EXPECT_EQ(request.body, "body");
  EXPECT_TRUE(request.keeps_alive);
  EXPECT_EQ(request.body.data(), bytes.data() + bytes.size() - 4);
  EXPECT_EQ(request.path.data(), bytes.data() + 5);
}

TEST_F(RequestReaderTest, GathersARequestThatCameInPieces) {
  for (const char* piece :
       {"POS", "T / HTTP/1.1\r\nHo", "st: a\r\nContent-Length: 6\r\n\r\nab", "cd", "ef"}) {
    // Gone after the call, as a read buffer is.
    const std::string bytes(piece);
    reader_.feed(bytes);
  }
  ASSERT_EQ(reader_.state(), State::kDone);
  EXPECT_EQ(reader_.request().fields.find("HOST"), "a");
  EXPECT_EQ(reader_.request().body, "abcdef");
}

TEST_F(RequestReaderTest, LeavesWhatFollowsTheRequest) {
  const std::string first = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(reader_.feed(first + "GET /next"), first.size());
  reader_.reset();
  EXPECT_FALSE(reader_.has_begun());
  EXPECT_EQ(reader_.feed("GET /next"), 9U);
  EXPECT_TRUE(reader_.has_begun());
  EXPECT_EQ(reader_.state(), State::kHead);
}

TEST_F(RequestReaderTest, DropsExtensionsAndTrailersOfAChunkedBody) {
  reader_.feed(
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;x=y\r\nabc\r\n3\r\ndef\r\n0\r\nAuthorization: evil\r\n\r\n");
  ASSERT_EQ(reader_.state(), State::kDone);
  EXPECT_EQ(reader_.request().body, "abcdef");
  EXPECT_EQ(reader_.request().fields.find("authorization"), std::nullopt);
}

TEST_F(RequestReaderTest, AsksHowLargeTheBodyOfTheVeryHeadMayBe) {
  std::vector<std::string> asked;
  limits_.body_bytes_max = [&](const Request& head) {
    asked.push_back(std::string(to_word(head.method)) + " " + std::string(head.path) + " by " +
                    std::string(head.fields.find("authorization").value_or("nobody")));
    return size_t{3};
  };
  reader_.feed("GET /none HTTP/1.1\r\nHost: a\r\n\r\n");
  reader_.reset();
  reader_.feed("PUT /a?x HTTP/1.1\r\nHost: a\r\nAuthorization: me\r\nContent-Length: 4\r\n\r\n");
  EXPECT_THAT(asked, ElementsAre("PUT /a by me"));
  ASSERT_EQ(reader_.state(), State::kRefused);
  EXPECT_EQ(reader_.refusal(), kBodyTooLarge);
}

TEST_F(RequestReaderTest, TellsOnceThatTheClientWaitsToContinue) {
  reader_.feed("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(reader_.state(), State::kBody);
  EXPECT_TRUE(reader_.take_expectation());
  EXPECT_FALSE(reader_.take_expectation());
}

TEST_F(RequestReaderTest, NeedNotTellWhenTheBodyHasBegun) {
  reader_.feed("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nx");
  EXPECT_FALSE(reader_.take_expectation());
  EXPECT_EQ(reader_.body_bytes(), 1U);
}

TEST_F(RequestReaderTest, HoldsMemoryOnlyForARequestThatIsUnderWay) {
  reader_.feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n" +
               std::string(8000, 'x'));
  EXPECT_GT(reader_.held_bytes(), 8000U);
  reader_.feed(std::string(1000, 'x'));
  reader_.reset();
  EXPECT_EQ(reader_.held_bytes(), 0U);
  reader_.feed("GET / HT");
  EXPECT_EQ(reader_.held_bytes(), 8U);
  reader_.give_up();
  EXPECT_EQ(reader_.held_bytes(), 0U);
}

TEST_F(RequestReaderTest, TakesThePathOfAnAbsoluteTarget) {
  reader_.feed("GET http://other.example/a/b?c HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(reader_.request().path, "/a/b");
  EXPECT_EQ(reader_.request().query, "c");
  reader_.reset();
  reader_.feed("GET http://other.example HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(reader_.request().path, "/");
}

TEST_F(RequestReaderTest, CountsFieldsOfOneName) {
  reader_.feed("GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nx: 2\r\nY: 3\r\n\r\n");
  const Fields fields = reader_.request().fields;
  EXPECT_EQ(fields.count("X"), 2U);
  EXPECT_EQ(fields.find("X"), "1");
  EXPECT_EQ(fields[3].name, "Y");
  EXPECT_EQ(fields.count("Z"), 0U);
}

}  // namespace
}  // namespace http
