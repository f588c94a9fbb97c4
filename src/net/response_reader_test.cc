#include "net/response_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace net {
namespace {

using State = ResponseReader::State;

std::string repeat(const std::string& text, int times) {
  std::string all;
  for (int count = 0; count < times; ++count) {
    all += text;
  }
  return all;
}

TEST(ResponseReaderTest, ReadsAResponseWithLength) {
  ResponseReader reader;
  EXPECT_EQ(reader.feed("HTTP/1.1 201 Created\r\nServer: a\r\nContent-Length: 5\r\n\r\nhello"),
            State::kDone);
  EXPECT_EQ(reader.head().status, 201);
  EXPECT_EQ(reader.head().find("server"), "a");
  EXPECT_EQ(reader.head().find("X-Missing"), std::nullopt);
  EXPECT_EQ(reader.head().lines, "Server: a\r\nContent-Length: 5\r\n");
  EXPECT_EQ(reader.body(), "hello");
  EXPECT_FALSE(reader.is_body_cut());
  EXPECT_TRUE(reader.is_reusable());
}

TEST(ResponseReaderTest, CutsBetweenBytesDoNotMatter) {
  const std::string text =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\nA:b \r\n\r\n"
      "4\r\nWiki\r\n6;x=y\r\npedia \r\n0\r\nTrailer: t\r\n\r\n";
  for (size_t first = 1; first < text.size(); ++first) {
    ResponseReader reader;
    State state = reader.feed(std::string_view(text).substr(0, first));
    for (size_t at = first; at < text.size(); ++at) {
      ASSERT_NE(state, State::kDone) << first << ' ' << at;
      state = reader.feed(std::string_view(text).substr(at, 1));
    }
    ASSERT_EQ(state, State::kDone);
    EXPECT_EQ(reader.head().status, 500);
    EXPECT_EQ(reader.head().find("a"), "b");
    EXPECT_EQ(reader.body(), "Wikipedia ");
    EXPECT_TRUE(reader.is_reusable());
  }
}

TEST(ResponseReaderTest, BodyUntilTheEndOfTheStream) {
  ResponseReader reader;
  EXPECT_EQ(reader.feed("HTTP/1.0 200 OK\r\n\r\nsome"), State::kBody);
  EXPECT_TRUE(reader.has_head());
  EXPECT_EQ(reader.feed(" more"), State::kBody);
  EXPECT_EQ(reader.end_of_stream(), State::kDone);
  EXPECT_EQ(reader.body(), "some more");
  EXPECT_FALSE(reader.is_reusable());
}

struct Reuse {
  std::string text;
  bool is_reusable;
};

TEST(ResponseReaderTest, OnlyAnExactlyEndedResponseLeavesAReusableConnection) {
  const std::vector<Reuse> cases = {
      {"HTTP/1.1 204 No Content\r\n\r\n", true},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", true},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", false},
      {"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", false},
      {"HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n", true},
      {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc", false},
      {"HTTP/1.1 204 No Content\r\n\r\nx", false},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nx", false},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n", false},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\nab\r\n0\r\n\r\n", false},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nab\r\n0\r\n\r\n", false},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
       "fffffffffffffffff\r\nab\r\n0\r\n\r\n",
       false},
  };
  for (const Reuse& one : cases) {
    ResponseReader reader;
    if (reader.feed(one.text) != State::kDone) {
      reader.end_of_stream();
    }
    EXPECT_TRUE(reader.has_head()) << one.text;
    EXPECT_EQ(reader.is_reusable(), one.is_reusable) << one.text;
  }
}

TEST(ResponseReaderTest, ABodyCutShortDoesNotUndoTheHead) {
  ResponseReader reader;
  reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(reader.end_of_stream(), State::kDone);
  EXPECT_EQ(reader.head().status, 200);
  EXPECT_FALSE(reader.is_reusable());
}

TEST(ResponseReaderTest, RefusesWhatIsNoResponse) {
  const std::vector<std::string> cases = {
      "SSH-2.0-OpenSSH_9.2\r\n",
      "\r\nHTTP/1.1 200 OK\r\n\r\n",
      "HTTP/2 200 OK\r\n\r\n",
      "HTTP/1.2 200 OK\r\n\r\n",
      "HTTP/1.1 99 Low\r\n\r\n",
      "HTTP/1.1 600 High\r\n\r\n",
      "HTTP/1.1 2000 Long\r\n\r\n",
      "HTTP/1.1 -20 Minus\r\n\r\n",
      "HTTP/1.1  200 OK\r\n\r\n",
      "HTTP/1.1 200 OK\n\n",
      "HTTP/1.1 200 OK\r\nA: b\n\r\n",
      "HTTP/1.1 200 OK\r\nA: b\r\r\n\r\n",
      "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
      "HTTP/1.1 200 OK\r\n A: b\r\n\r\n",
      "HTTP/1.1 200 OK\r\nA b\r\n\r\n",
      "HTTP/1.1 200 OK\r\n: b\r\n\r\n",
      "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
      "HTTP/1.1 200 OK\r\nA: \x01\r\n\r\n",
      std::string("HTTP/1.1 200 OK\r\nA: \0\r\n\r\n", 25),
      std::string("HTTP/1.1 200 O\0K\r\n\r\n", 20),
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 5\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
  };
  for (const std::string& text : cases) {
    ResponseReader reader;
    EXPECT_EQ(reader.feed(text), State::kMalformed) << text;
    EXPECT_FALSE(reader.has_head()) << text;
    EXPECT_FALSE(reader.problem().empty()) << text;
  }
}

TEST(ResponseReaderTest, GarbageIsRefusedAtItsFirstByte) {
  ResponseReader reader;
  EXPECT_EQ(reader.feed("X"), State::kMalformed);
}

TEST(ResponseReaderTest, AHeadThatEndsEarlyIsMalformed) {
  ResponseReader reader;
  reader.feed("HTTP/1.1 200 OK\r\nA: b\r\n");
  EXPECT_EQ(reader.end_of_stream(), State::kMalformed);
}

TEST(ResponseReaderTest, TheHeadMayHaveAHundredLinesAndNotOneMore) {
  const std::string start = "HTTP/1.1 204 No Content\r\n";
  ResponseReader fits;
  EXPECT_EQ(fits.feed(start + repeat("A: b\r\n", 99) + "\r\n"), State::kDone);
  ResponseReader exceeds;
  EXPECT_EQ(exceeds.feed(start + repeat("A: b\r\n", 100) + "\r\n"), State::kMalformed);
}

TEST(ResponseReaderTest, TheHeadMayHaveSixteenKibibytesAndNotOneByteMore) {
  const auto head_of = [](size_t size) {
    const std::string start = "HTTP/1.1 204 No Content\r\nA: ";
    return start + std::string(size - start.size() - 4, 'x') + "\r\n\r\n";
  };
  ResponseReader fits;
  EXPECT_EQ(fits.feed(head_of(16384)), State::kDone);
  ResponseReader exceeds;
  EXPECT_EQ(exceeds.feed(head_of(16385)), State::kMalformed);
  ResponseReader endless;
  endless.feed("HTTP/1.1 200 OK\r\nA: ");
  State state = State::kHead;
  size_t fed = 0;
  while (state == State::kHead) {
    state = endless.feed("xxxxxxxxxxxxxxxx");
    fed += 16;
  }
  EXPECT_EQ(state, State::kMalformed);
  EXPECT_LT(fed, 16400U);
}

TEST(ResponseReaderTest, EightInterimResponsesAreSkippedAndNoMore) {
  const std::string interim = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
  ResponseReader fits;
  EXPECT_EQ(fits.feed(repeat(interim, 8) + "HTTP/1.1 204 No Content\r\n\r\n"), State::kDone);
  EXPECT_EQ(fits.head().status, 204);
  ResponseReader exceeds;
  EXPECT_EQ(exceeds.feed(repeat(interim, 9)), State::kMalformed);
}

TEST(ResponseReaderTest, KeepsAPrefixOfALongBodyAndReadsItToItsEnd) {
  ResponseReader reader;
  const std::string body(20'000, 'b');
  EXPECT_EQ(reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n\r\n" + body), State::kDone);
  EXPECT_EQ(reader.body().size(), 16384U);
  EXPECT_TRUE(reader.is_body_cut());
  EXPECT_TRUE(reader.is_reusable());
}

TEST(ResponseReaderTest, AnEndlessBodyEndsAtTheCap) {
  for (const char* framing :
       {"", "Content-Length: 999999999\r\n", "Transfer-Encoding: chunked\r\n"}) {
    ResponseReader reader;
    reader.feed(std::string("HTTP/1.1 200 OK\r\n") + framing + "\r\n");
    State state = State::kBody;
    size_t fed = 0;
    while (state == State::kBody) {
      state = reader.feed("1\r\na\r\n");
      fed += 6;
    }
    EXPECT_EQ(state, State::kDone);
    EXPECT_LE(fed, size_t{64} * 1024 + 6);
    EXPECT_TRUE(reader.is_body_cut());
    EXPECT_FALSE(reader.is_reusable());
  }
}

}  // namespace
}  // namespace net
