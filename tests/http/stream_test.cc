// Answers that go on: server-sent events and the like.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/http/server_rig.h"

namespace http {
namespace {

using base::Duration;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kGet = "GET /stream HTTP/1.1\r\nHost: a\r\n\r\n";

class Streams : public ServerRig {
 protected:
  Streams() {
    on_request_ = [this](const Request&, Answer answer) {
      stream_.emplace(answer.stream({.content_type = "text/event-stream"},
                                    [this](StreamEnd reason) { ends_.push_back(reason); }));
    };
  }

  void open(RawClient& client, std::string_view request = kGet) {
    client.send(request);
    ASSERT_TRUE(wait_until([&] {
      client.receive();
      return client.received().find("\r\n\r\n") != std::string::npos;
    }));
  }
  bool wait_for_text(RawClient& client, std::string_view text) {
    return wait_until([&] {
      client.receive();
      return client.received().find(text) != std::string::npos;
    });
  }

  std::optional<Stream> stream_;
  std::vector<StreamEnd> ends_;
};

TEST_F(Streams, SendWhatIsWrittenAsItIsWritten) {
  RawClient client(server().port());
  open(client);
  EXPECT_TRUE(stream_->write("data: 1\n\n"));
  ASSERT_TRUE(wait_for_text(client, "9\r\ndata: 1\n\n\r\n"));
  EXPECT_TRUE(stream_->write("data: 2\n\n"));
  ASSERT_TRUE(wait_for_text(client, "data: 2"));
}

TEST_F(Streams, ThatFinishLeaveTheConnectionForTheNextRequest) {
  RawClient client(server().port());
  open(client);
  stream_->write("x");
  stream_->finish();
  stream_->finish();
  EXPECT_FALSE(stream_->write("too late"));
  ASSERT_TRUE(wait_for_text(client, "1\r\nx\r\n0\r\n\r\n"));
  on_request_ = [](const Request&, Answer answer) { answer.send({.body = "next"}); };
  client.send(kGet);
  ASSERT_TRUE(wait_for_text(client, "next"));
  EXPECT_THAT(ends_, ElementsAre(StreamEnd::kFinished));
}

TEST_F(Streams, ThatHaveFinishedCannotWriteIntoTheNextOfTheirConnection) {
  RawClient client(server().port());
  open(client);
  Stream first = *stream_;
  first.finish();
  stream_.reset();
  client.send(kGet);
  ASSERT_TRUE(wait_until([&] { return stream_.has_value(); }));
  EXPECT_FALSE(first.write("of the first"));
  first.finish();
  EXPECT_TRUE(stream_->write("of the second"));
  ASSERT_TRUE(wait_for_text(client, "of the second"));
  EXPECT_EQ(client.received().find("of the first"), std::string::npos);
  EXPECT_THAT(ends_, ElementsAre(StreamEnd::kFinished));
}

TEST_F(Streams, ToAnOldClientEndWithTheConnection) {
  RawClient client(server().port());
  open(client, "GET / HTTP/1.0\r\n\r\n");
  stream_->write("plain");
  stream_->finish();
  ASSERT_TRUE(wait_for_end(client));
  EXPECT_TRUE(client.received().ends_with("\r\n\r\nplain"));
}

TEST_F(Streams, ToHeadEndAtOnce) {
  RawClient client(server().port());
  open(client, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_FALSE(stream_->write("x"));
  ASSERT_TRUE(wait_until([&] { return !ends_.empty(); }));
  EXPECT_THAT(ends_, ElementsAre(StreamEnd::kFinished));
}

TEST_F(Streams, TellWhenTheClientHasGone) {
  {
    RawClient client(server().port());
    open(client);
  }
  ASSERT_TRUE(wait_until([&] { return !ends_.empty(); }));
  EXPECT_THAT(ends_, ElementsAre(StreamEnd::kClientGone));
  EXPECT_FALSE(stream_->write("x"));
}

TEST_F(Streams, DropAReaderThatLetsTooMuchPileUp) {
  RawClient client(server().port(), 4096);
  open(client);
  const std::string part(size_t{16} * 1024, 'x');
  size_t written = 0;
  while (stream_->write(part)) {
    written += part.size();
    ASSERT_LT(written, size_t{64} * 1024 * 1024);
  }
  EXPECT_EQ(server().connections(), 0U);
  ASSERT_TRUE(wait_until([&] { return !ends_.empty(); }));
  EXPECT_THAT(ends_, ElementsAre(StreamEnd::kSlowReader));
}

TEST_F(Streams, TellHowMuchTheReaderHasNotTaken) {
  RawClient client(server().port(), 4096);
  open(client);
  EXPECT_EQ(stream_->unsent_bytes(), 0U);
  const std::string part(size_t{16} * 1024, 'x');
  size_t written = 0;
  while (stream_->unsent_bytes() == 0) {
    ASSERT_TRUE(stream_->write(part));
    written += part.size();
    ASSERT_LT(written, size_t{64} * 1024 * 1024);
  }
  EXPECT_LE(stream_->unsent_bytes(), written);
  ASSERT_TRUE(wait_until([&] {
    client.receive();
    return stream_->unsent_bytes() == 0;
  }));
  EXPECT_TRUE(ends_.empty());
}

TEST_F(Streams, ThatHaveEndedHaveNothingUnsent) {
  RawClient client(server().port(), 4096);
  open(client);
  while (stream_->write(std::string(size_t{16} * 1024, 'x'))) {
  }
  EXPECT_EQ(stream_->unsent_bytes(), 0U);
}

TEST_F(Streams, DropAReaderThatTakesNothingForTooLong) {
  options_.patience.answer.grace = Duration::ms(40);
  options_.stream_unsent_bytes_max = size_t{64} * 1024 * 1024;
  RawClient client(server().port(), 4096);
  open(client);
  stream_->write(std::string(size_t{32} * 1024 * 1024, 'x'));
  ASSERT_TRUE(wait_until([&] { return !ends_.empty(); }));
  EXPECT_THAT(ends_, ElementsAre(StreamEnd::kSlowReader));
}

TEST_F(Streams, MayBeSilent) {
  options_.patience.idle_max = Duration::ms(10);
  options_.patience.head_max = Duration::ms(10);
  RawClient client(server().port());
  open(client);
  loop_.run_until([] { return false; }, Duration::ms(60));
  EXPECT_TRUE(stream_->write("still here"));
  EXPECT_TRUE(wait_for_text(client, "still here"));
}

TEST_F(Streams, EndWhenTheServerDrains) {
  RawClient client(server().port());
  open(client);
  server().drain(Duration::seconds(10), [] {});
  ASSERT_TRUE(wait_for_end(client));
  EXPECT_TRUE(client.received().ends_with("0\r\n\r\n"));
  ASSERT_TRUE(wait_until([&] { return !ends_.empty(); }));
  EXPECT_THAT(ends_, ElementsAre(StreamEnd::kDraining));
}

TEST_F(Streams, StartedForAClientThatHasGoneEndAtOnce) {
  std::optional<Answer> waiting;
  on_request_ = [&](const Request&, Answer answer) { waiting.emplace(std::move(answer)); };
  RawClient client(server().port());
  client.send(kGet);
  ASSERT_TRUE(wait_until([&] { return waiting.has_value(); }));
  client.reset();
  ASSERT_TRUE(wait_until([&] { return server().connections() == 0; }));
  Stream stream = waiting->stream({}, [&](StreamEnd reason) { ends_.push_back(reason); });
  EXPECT_FALSE(stream.write("x"));
  ASSERT_TRUE(wait_until([&] { return !ends_.empty(); }));
  EXPECT_THAT(ends_, ElementsAre(StreamEnd::kClientGone));
}

}  // namespace
}  // namespace http
