#include "net/header_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace net {
namespace {

using testing::HasSubstr;
using testing::Not;

bool accepts(std::string_view name, std::string_view value) {
  return check_custom_header(name, value).has_value();
}

std::string refused(std::string_view name, std::string_view value) {
  const auto checked = check_custom_header(name, value);
  return checked.has_value() ? "accepted" : checked.error().detail;
}

TEST(HeaderRulesTest, AcceptsOrdinaryHeaders) {
  EXPECT_TRUE(accepts("X-Team", "billing"));
  EXPECT_TRUE(accepts("Authorization", "Basic dXNlcjpwYXNz"));
  EXPECT_TRUE(accepts("x_odd!#$%&'*+-.^`|~9", "a \t\"quoted\" value; with=marks"));
  EXPECT_TRUE(accepts("X-Empty", ""));
}

TEST(HeaderRulesTest, EveryByteIsEitherAllowedInAValueOrRefused) {
  for (int code = 0; code < 256; ++code) {
    const std::string value = {'a', static_cast<char>(code), 'b'};
    const bool is_allowed = code == '\t' || (code >= 0x20 && code <= 0x7e);
    EXPECT_EQ(accepts("X-Team", value), is_allowed) << code;
  }
}

TEST(HeaderRulesTest, EveryByteIsEitherAllowedInANameOrRefused) {
  const std::string marks = "!#$%&'*+-.^_`|~";
  for (int code = 0; code < 256; ++code) {
    const char c = static_cast<char>(code);
    const bool is_allowed =
        (code < 0x80 && std::isalnum(code) != 0) || (code != 0 && marks.contains(c));
    EXPECT_EQ(accepts(std::string("X") + c + "Y", "v"), is_allowed) << code;
  }
  EXPECT_FALSE(accepts("", "v"));
}

TEST(HeaderRulesTest, HeadersOfTheServerAreRefusedInAnyCase) {
  for (const char* name : {"Host",
                           "Content-Length",
                           "Transfer-Encoding",
                           "Connection",
                           "TE",
                           "Trailer",
                           "Upgrade",
                           "Expect",
                           "Keep-Alive",
                           "Proxy-Authorization",
                           "Proxy-Connection",
                           "proxy-x",
                           "webhook-id",
                           "Webhook-Signature",
                           "WEBHOOK-ANYTHING",
                           "hOsT",
                           "content-LENGTH",
                           "User-Agent",
                           "traceparent",
                           "tracestate",
                           "Content-Type",
                           "Content-Encoding",
                           "Accept-Encoding",
                           "Postrider-Attempt",
                           "HTTP2-Settings"}) {
    EXPECT_THAT(refused(name, "v"), HasSubstr("server itself")) << name;
  }
  EXPECT_TRUE(accepts("Hosts", "v"));
  EXPECT_TRUE(accepts("X-Webhook-Id", "v"));
}

TEST(HeaderRulesTest, AValueKeepsNoBlanksAtItsEnds) {
  EXPECT_THAT(refused("X-Team", " a"), HasSubstr("blank"));
  EXPECT_THAT(refused("X-Team", "a\t"), HasSubstr("blank"));
  EXPECT_THAT(refused("X-Team", " "), HasSubstr("blank"));
}

TEST(HeaderRulesTest, NameAndValueTogetherHaveAtMost4096Bytes) {
  EXPECT_TRUE(accepts("X", std::string(4095, 'a')));
  EXPECT_THAT(refused("X", std::string(4096, 'a')), HasSubstr("4096"));
}

TEST(HeaderRulesTest, ErrorsNeverQuoteTheValue) {
  EXPECT_THAT(refused("X-Key", "hunter2\n"), Not(HasSubstr("hunter2")));
  EXPECT_THAT(refused("Host", "hunter2"), Not(HasSubstr("hunter2")));
}

TEST(HeaderRulesTest, AtMostTwentyHeadersAndNoneTwice) {
  std::vector<Header> headers;
  headers.reserve(21);
  for (int i = 0; i < 20; ++i) {
    headers.push_back({"X-" + std::to_string(i), "v"});
  }
  EXPECT_TRUE(check_custom_headers(headers).has_value());
  headers.push_back({"X-20", "v"});
  EXPECT_THAT(check_custom_headers(headers).error().detail, HasSubstr("20"));
  EXPECT_THAT(check_custom_headers(std::vector<Header>{{"X-A", "1"}, {"x-a", "2"}}).error().detail,
              HasSubstr("twice"));
  EXPECT_FALSE(check_custom_headers(std::vector<Header>{{"X-A", "1"}, {"Host", "2"}}).has_value());
}

}  // namespace
}  // namespace net
