#include "net/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace net {
namespace {

using testing::HasSubstr;

Url parsed(std::string_view text) {
  auto url = parse_url(text);
  EXPECT_TRUE(url.has_value()) << text << ": " << (url.has_value() ? "" : url.error().detail);
  return url.has_value() ? *url : Url{};
}

std::string refused(std::string_view text) {
  const auto url = parse_url(text);
  EXPECT_FALSE(url.has_value()) << text;
  return url.has_value() ? "accepted" : url.error().detail;
}

TEST(UrlTest, TakesAUrlApart) {
  const Url url = parsed("https://Hooks.Example.com:8443/in/42?key=a/b&x=%20#part");
  EXPECT_TRUE(url.is_tls);
  EXPECT_EQ(url.host, "hooks.example.com");
  EXPECT_FALSE(url.literal.has_value());
  EXPECT_EQ(url.port, 8443);
  EXPECT_EQ(url.target, "/in/42?key=a/b&x=%20");
  EXPECT_EQ(url.authority(), "hooks.example.com:8443");
  EXPECT_EQ(url.to_string(), "https://hooks.example.com:8443/in/42?key=a/b&x=%20");
}

TEST(UrlTest, FillsInTheDefaultPortAndPath) {
  EXPECT_EQ(parsed("http://a.example").port, 80);
  EXPECT_EQ(parsed("https://a.example").port, 443);
  EXPECT_EQ(parsed("https://a.example").target, "/");
  EXPECT_EQ(parsed("https://a.example?q=1").target, "/?q=1");
  EXPECT_EQ(parsed("https://a.example#top").target, "/");
  EXPECT_EQ(parsed("https://a.example/#x@y").target, "/");
}

TEST(UrlTest, LeavesTheDefaultPortOutOfTheAuthority) {
  EXPECT_EQ(parsed("https://a.example:443/").authority(), "a.example");
  EXPECT_EQ(parsed("https://a.example:80/").authority(), "a.example:80");
  EXPECT_EQ(parsed("http://a.example:80/").authority(), "a.example");
  EXPECT_EQ(parsed("https://[2001:DB8::1]/").authority(), "[2001:db8::1]");
  EXPECT_EQ(parsed("https://[2001:db8::1]:8443/").authority(), "[2001:db8::1]:8443");
}

TEST(UrlTest, SchemesAndHostsHaveNoCase) {
  EXPECT_EQ(parsed("HTTPS://A.EXAMPLE/Path"), parsed("https://a.example/Path"));
}

TEST(UrlTest, OneTrailingDotNamesTheSameHost) {
  EXPECT_EQ(parsed("https://a.example./").host, "a.example");
  EXPECT_EQ(parsed("https://127.0.0.1./").host, "127.0.0.1");
  EXPECT_THAT(refused("https://a.example../"), HasSubstr("extra dot"));
  EXPECT_THAT(refused("https://./"), HasSubstr("extra dot"));
}

TEST(UrlTest, NumericHostsBecomeTheAddressTheyMean) {
  for (const char* host : {"127.0.0.1", "127.1", "127.0.1", "2130706433", "0x7f000001", "0X7F.1",
                           "0177.0.0.1", "017700000001", "0x7f.0x0.0x0.0x1", "127.0.0.0x1",
                           "0x7f.0.1", "00000177.1", "127.0.0.01"}) {
    const Url url = parsed("http://" + std::string(host) + "/");
    EXPECT_EQ(url.host, "127.0.0.1") << host;
    EXPECT_EQ(url.literal, Address::v4(0x7f000001)) << host;
  }
  EXPECT_EQ(parsed("http://0/").host, "0.0.0.0");
  EXPECT_EQ(parsed("http://0x/").host, "0.0.0.0");
  EXPECT_EQ(parsed("http://1.65535/").host, "1.0.255.255");
  EXPECT_EQ(parsed("http://1.2.65535/").host, "1.2.255.255");
  EXPECT_EQ(parsed("http://4294967295/").host, "255.255.255.255");
}

TEST(UrlTest, NumericHostsThatAreNoAddressAreRefused) {
  for (const char* host : {"4294967296", "256.1", "1.16777216", "1.2.65536", "1.2.3.256", "08",
                           "1.2.3.4.5", "a.1", "example.0x7f", "1.2.3.09", "0.0x1g.1",
                           "99999999999999999999999", "0xffffffffffffffffffff", "1.example.7"}) {
    EXPECT_THAT(refused("http://" + std::string(host) + "/"), HasSubstr("IPv4")) << host;
  }
}

TEST(UrlTest, NamesThatOnlyContainNumbersStayNames) {
  EXPECT_EQ(parsed("http://1.2.3.4.nip.io/").host, "1.2.3.4.nip.io");
  EXPECT_FALSE(parsed("http://1.2.3.4.nip.io/").literal.has_value());
  EXPECT_FALSE(parsed("http://0xg.example/").literal.has_value());
  EXPECT_FALSE(parsed("http://7f/").literal.has_value());
}

TEST(UrlTest, BracketsAreForIPv6Only) {
  EXPECT_EQ(parsed("http://[::1]/").literal, Address::parse("::1"));
  EXPECT_EQ(parsed("http://[0:0:0:0:0:ffff:127.0.0.1]/").host, "::ffff:7f00:1");
  EXPECT_THAT(refused("http://[example.com]/"), HasSubstr("brackets are only"));
  EXPECT_THAT(refused("http://[127.0.0.1]/"), HasSubstr("brackets are only"));
  EXPECT_THAT(refused("http://[v1.fe80]/"), HasSubstr("brackets are only"));
  EXPECT_THAT(refused("http://[]/"), HasSubstr("no host"));
  EXPECT_THAT(refused("http://[::1/"), HasSubstr("not closed"));
  EXPECT_THAT(refused("http://[::1]80/"), HasSubstr("closing bracket"));
  EXPECT_THAT(refused("http://[::1].example/"), HasSubstr("closing bracket"));
  EXPECT_THAT(refused("http://::1/"), HasSubstr("no host"));
  EXPECT_THAT(refused("http://fe80::1/"), HasSubstr("port"));
  EXPECT_THAT(refused("http://a[::1]/"), HasSubstr("no name has"));
}

TEST(UrlTest, ZonesAreRefused) {
  EXPECT_THAT(refused("http://[fe80::1%eth0]/"), HasSubstr("zone"));
  EXPECT_THAT(refused("http://[fe80::1%25eth0]/"), HasSubstr("zone"));
}

TEST(UrlTest, UserNamesAreRefused) {
  for (const char* text :
       {"http://user@a.example/", "http://user:pass@a.example/", "http://a.example@127.0.0.1/",
        "http://@a.example/", "http://a.example:80@127.0.0.1/", "http://a@b@c/"}) {
    EXPECT_THAT(refused(text), HasSubstr("user name or password")) << text;
  }
  EXPECT_EQ(parsed("http://a.example/@b").target, "/@b");
}

TEST(UrlTest, CharactersThatReadersRepairDifferentlyAreRefused) {
  EXPECT_THAT(refused("http://a.example/a b"), HasSubstr("%20"));
  EXPECT_THAT(refused(" http://a.example/"), HasSubstr("spaces"));
  EXPECT_THAT(refused("http://a.example/\t"), HasSubstr("spaces"));
  EXPECT_THAT(refused("http://a.example/\r\nX: y"), HasSubstr("control character (0x0D)"));
  EXPECT_THAT(refused(std::string_view("http://a.example/\0", 18)), HasSubstr("(0x00)"));
  EXPECT_THAT(refused("http://a.example/#\x7f"), HasSubstr("(0x7F)"));
  EXPECT_THAT(refused("http://a.example\\@b/"), HasSubstr("backslash"));
  EXPECT_THAT(refused("http://b\xc3\xbc.example/"), HasSubstr("punycode"));
  EXPECT_THAT(refused("http://127.0.0\xe3\x80\x82\x31/"), HasSubstr("punycode"));
}

TEST(UrlTest, OnlyHttpAndHttpsInFullAreRead) {
  for (const char* text : {"", "a.example", "//a.example", "ftp://a.example/", "file:///etc/passwd",
                           "gopher://a.example/", "javascript:alert(1)", "httpss://a.example/",
                           "://a.example/", "unix:/run/x.sock"}) {
    EXPECT_THAT(refused(text), HasSubstr("https://")) << text;
  }
  EXPECT_THAT(refused("http:/a.example/"), HasSubstr("two slashes"));
  EXPECT_THAT(refused("https:a.example"), HasSubstr("two slashes"));
  EXPECT_THAT(refused("http:///a.example"), HasSubstr("no host"));
  EXPECT_THAT(refused("http://"), HasSubstr("no host"));
  EXPECT_THAT(refused("http://?x"), HasSubstr("no host"));
  EXPECT_THAT(refused("http://:80/"), HasSubstr("no host"));
}

TEST(UrlTest, HostsAreDnsNames) {
  EXPECT_EQ(parsed("http://my_service.xn--bcher-kva.example/").host,
            "my_service.xn--bcher-kva.example");
  EXPECT_THAT(refused("http://a..b/"), HasSubstr("extra dot"));
  EXPECT_THAT(refused("http://.a/"), HasSubstr("extra dot"));
  EXPECT_THAT(refused("http://-a.example/"), HasSubstr("hyphen"));
  EXPECT_THAT(refused("http://a-.example/"), HasSubstr("hyphen"));
  EXPECT_THAT(refused("http://a!b.example/"), HasSubstr("no name has"));
  EXPECT_THAT(refused("http://%31%32%37.0.0.1/"), HasSubstr("percent"));
  EXPECT_THAT(refused("http://a%/"), HasSubstr("percent"));
  EXPECT_THAT(refused("http://" + std::string(64, 'a') + ".example/"), HasSubstr("63"));
}

TEST(UrlTest, ANameHasAtMost253Characters) {
  std::string name;
  for (int i = 0; i < 4; ++i) {
    name += std::string(61, 'a') + ".";
  }
  EXPECT_EQ(parsed("http://" + name + "abcde/").host.size(), 253U);
  EXPECT_THAT(refused("http://" + name + "abcdef/"), HasSubstr("253"));
}

TEST(UrlTest, PortsAreNumbersFrom1To65535) {
  EXPECT_EQ(parsed("http://a.example:65535/").port, 65535);
  EXPECT_EQ(parsed("http://a.example:1/").port, 1);
  for (const char* port :
       {"", "0", "65536", "080", "8o", "-1", "+1", "80:80", "0x50", "99999999999"}) {
    EXPECT_THAT(refused("http://a.example:" + std::string(port) + "/"), HasSubstr("65535")) << port;
  }
}

TEST(UrlTest, PathsAndQueriesGoOutAsTheyCameIn) {
  EXPECT_EQ(parsed("http://a.example/../a/./b//c?d[]=e;f'(g)*!$,~").target,
            "/../a/./b//c?d[]=e;f'(g)*!$,~");
  EXPECT_THAT(refused("http://a.example/{id}"), HasSubstr("%7B"));
  EXPECT_THAT(refused("http://a.example/?a|b"), HasSubstr("%7C"));
  EXPECT_THAT(refused("http://a.example/100%"), HasSubstr("%25"));
  EXPECT_THAT(refused("http://a.example/?%zz"), HasSubstr("%25"));
}

TEST(UrlTest, TheCanonicalTextIsAtMost2048Long) {
  const std::string start = "http://a.example/";
  EXPECT_EQ(parsed(start + std::string(2048 - start.size(), 'x')).to_string().size(), 2048U);
  EXPECT_THAT(refused(start + std::string(2049 - start.size(), 'x')), HasSubstr("2048"));
  EXPECT_THAT(refused("http://1?" + std::string(2048 - 9, 'x')), HasSubstr("2048"));
}

TEST(UrlTest, ErrorsQuoteNoSecretOfTheUrl) {
  EXPECT_EQ(refused("https://user:hunter2@a.example/").find("hunter2"), std::string::npos);
  EXPECT_EQ(refused("https://a.example/s3cr3t?x={").find("s3cr3t"), std::string::npos);
}

}  // namespace
}  // namespace net
