// Thousands of URLs that lead inside, through the one parser and the guard.

#include "tests/guard/internal_urls.h"

#include <gtest/gtest.h>

#include <set>

#include "net/address_guard.h"
#include "net/url.h"
#include "tests/guard/open_guard.h"

namespace guard {
namespace {

// What the client does before it connects, but for the port: an open port must not matter here.
bool may_go_out(const net::AddressGuard& guard, std::string_view text) {
  const auto url = net::parse_url(text);
  if (!url.has_value()) {
    return false;
  }
  return url->literal.has_value() ? !guard.judge(*url->literal).has_value()
                                  : !guard.judge_name(url->host).has_value();
}

uint64_t count_going_out(const net::AddressGuard& guard) {
  uint64_t count = 0;
  for (const InternalUrl& url : internal_urls(8080)) {
    count += may_go_out(guard, url.text) ? 1 : 0;
  }
  return count;
}

TEST(InternalUrlsTest, NoneMayGoOut) {
  const net::AddressGuard guard({});
  std::set<std::string> spellings;
  for (const InternalUrl& url : internal_urls(8080)) {
    EXPECT_FALSE(may_go_out(guard, url.text)) << url.text;
    spellings.insert(url.text);
  }
  EXPECT_GE(spellings.size(), 10'000U);
}

TEST(InternalUrlsTest, EverySpellingOfAnAddressIsReadAsThatAddress) {
  uint64_t checked = 0;
  for (const InternalUrl& url : internal_urls(8080)) {
    if (!url.target.has_value()) {
      continue;
    }
    const auto parsed = net::parse_url(url.text);
    ASSERT_TRUE(parsed.has_value()) << url.text << ": " << parsed.error().detail;
    EXPECT_EQ(parsed->literal, url.target) << url.text;
    ++checked;
  }
  EXPECT_GE(checked, 5'000U);
}

TEST(InternalUrlsTest, PublicUrlsMayGoOut) {
  const net::AddressGuard guard({});
  for (const char* text : {"https://example.com/", "http://8.8.8.8/", "http://134744072/",
                           "https://[2606:4700::1]/", "https://hooks.example.org:8443/in?x=1"}) {
    EXPECT_TRUE(may_go_out(guard, text)) << text;
  }
}

TEST(InternalUrlsTest, WithTheGuardOffMostOfThemWould) {
  EXPECT_EQ(count_going_out(net::AddressGuard({})), 0U);
  EXPECT_GT(count_going_out(open_guard()), 5'000U);
}

}  // namespace
}  // namespace guard
