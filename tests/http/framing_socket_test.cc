// The table of framing cases against the server, over sockets: what is answered, and whether the
// connection stays.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/http/framing_cases.h"
#include "tests/http/server_rig.h"

namespace http {
namespace {

constexpr size_t kShortCase = 400;

class FramingOverSockets : public ServerRig {
 protected:
  FramingOverSockets() { options_.limits = framing_limits(); }

  // What the server makes of these pieces, as FramingCase::expected has it.
  std::string outcome_of(const std::vector<std::string_view>& pieces) {
    EXPECT_TRUE(wait_until([&] { return server().connections() == 0; }));
    RawClient client(server().port());
    EXPECT_TRUE(wait_until([&] { return server().connections() == 1; }));
    for (const std::string_view piece : pieces) {
      if (!deliver(client, piece)) {
        break;
      }
    }
    client.receive();
    std::string outcome;
    for (const RawAnswer& answer : parse_answers(client.received(), is_to_head(pieces))) {
      outcome += std::to_string(answer.status) + " ";
    }
    return outcome + (client.is_ended() ? "close" : "open");
  }

 private:
  // Sends a piece and lets the server work it off; false when the connection is over.
  bool deliver(RawClient& client, std::string_view piece) {
    const uint64_t before = server().counts().bytes_read;
    if (server().connections() == 0 || !client.send(piece)) {
      return false;
    }
    EXPECT_TRUE(wait_until([&] {
      return server().counts().bytes_read >= before + piece.size() || server().connections() == 0;
    }));
    return true;
  }

  static bool is_to_head(const std::vector<std::string_view>& pieces) {
    std::string whole;
    for (const std::string_view piece : pieces) {
      whole += piece;
    }
    return whole.starts_with("HEAD");
  }
};

TEST_F(FramingOverSockets, OfWholePiecesIsAsTheTableSays) {
  for (const FramingCase& framing : framing_cases()) {
    EXPECT_EQ(outcome_of({framing.bytes}), framing.expected) << framing.name;
  }
}

TEST_F(FramingOverSockets, IsTheSameByteByByte) {
  for (const FramingCase& framing : framing_cases()) {
    if (framing.bytes.size() > kShortCase) {
      continue;  // The reader alone is fed these byte by byte.
    }
    std::vector<std::string_view> pieces;
    for (size_t at = 0; at < framing.bytes.size(); ++at) {
      pieces.push_back(std::string_view(framing.bytes).substr(at, 1));
    }
    EXPECT_EQ(outcome_of(pieces), framing.expected) << framing.name;
  }
}

TEST_F(FramingOverSockets, IsTheSameInAnyTwoParts) {
  for (const FramingCase& framing : framing_cases()) {
    const std::string_view bytes = framing.bytes;
    const size_t stride = bytes.size() > kShortCase ? 997 : 1;
    for (size_t cut = 1; cut < bytes.size(); cut += stride) {
      ASSERT_EQ(outcome_of({bytes.substr(0, cut), bytes.substr(cut)}), framing.expected)
          << framing.name << " cut at " << cut;
    }
  }
}

}  // namespace
}  // namespace http
