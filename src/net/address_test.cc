#include "net/address.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <vector>

namespace net {
namespace {

std::string canonical(std::string_view text) {
  const auto address = Address::parse(text);
  return address.has_value() ? address->to_string() : "no address";
}

TEST(AddressTest, ReadsADottedQuad) {
  EXPECT_EQ(Address::parse("192.0.2.1"), Address::v4(0xc0000201));
  EXPECT_EQ(Address::parse("0.0.0.0"), Address::v4(0));
  EXPECT_EQ(Address::parse("255.255.255.255"), Address::v4(0xffffffff));
}

TEST(AddressTest, RefusesTheLooseSpellingsOfIPv4) {
  for (const char* text : {"", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.04",
                           "0x1.2.3.4", " 1.2.3.4", "1.2.3.4 ", "1.2.3.", ".1.2.3", "1..2.3",
                           "+1.2.3.4", "-1.2.3.4", "1.2.3.4/8", "1.2.3.4294967296"}) {
    EXPECT_FALSE(Address::parse(text).has_value()) << text;
  }
}

TEST(AddressTest, ReadsAndWritesCanonicalIPv6) {
  EXPECT_EQ(canonical("2001:DB8:0:0:8:800:200C:417A"), "2001:db8::8:800:200c:417a");
  EXPECT_EQ(canonical("::"), "::");
  EXPECT_EQ(canonical("::1"), "::1");
  EXPECT_EQ(canonical("1::"), "1::");
  EXPECT_EQ(canonical("0001:0:0:0:0:0:0:0002"), "1::2");
  EXPECT_EQ(canonical("::ffff:127.0.0.1"), "::ffff:7f00:1");
  EXPECT_EQ(canonical("1:2:3:4:5:6:7.8.9.10"), "1:2:3:4:5:6:708:90a");
}

TEST(AddressTest, ShortensTheFirstLongestRunOfZeros) {
  EXPECT_EQ(canonical("1:0:0:2:0:0:0:3"), "1:0:0:2::3");
  EXPECT_EQ(canonical("1:0:0:2:3:0:0:4"), "1::2:3:0:0:4");
  EXPECT_EQ(canonical("1:0:2:3:4:5:6:7"), "1:0:2:3:4:5:6:7");
  EXPECT_EQ(canonical("0:0:1:2:3:4:5:6"), "::1:2:3:4:5:6");
  EXPECT_EQ(canonical("1:2:3:4:5:6::"), "1:2:3:4:5:6::");
}

TEST(AddressTest, RefusesWhatIsNotIPv6) {
  for (const char* text : {":",
                           ":::",
                           "1:2:3:4:5:6:7",
                           "1:2:3:4:5:6:7:8:9",
                           "1::2::3",
                           "12345::",
                           "g::",
                           "::1%eth0",
                           "[::1]",
                           ":1::",
                           "1:2:3:4:5:6:7:8::",
                           "::1.2.3",
                           "1.2.3.4::",
                           "::1.2.3.4:5",
                           "::01.2.3.4",
                           "1:2:3:4:5:6:7:1.2.3.4",
                           " ::1",
                           "::1 ",
                           "1:2:3:4:5:6:7:",
                           "0x1::",
                           "-1::"}) {
    EXPECT_FALSE(Address::parse(text).has_value()) << text;
  }
}

TEST(AddressTest, AMappedAddressIsNotTheIPv4AddressItCarries) {
  EXPECT_NE(Address::parse("::ffff:10.0.0.1"), Address::parse("10.0.0.1"));
  EXPECT_FALSE(Address::parse("::ffff:10.0.0.1")->is_v4());
}

TEST(AddressTest, TakesTheAddressOfASocket) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(0x7f000001);
  EXPECT_EQ(Address::from_sockaddr(reinterpret_cast<sockaddr*>(&in))->to_string(), "127.0.0.1");
  sockaddr_in6 in6{};
  in6.sin6_family = AF_INET6;
  in6.sin6_addr = in6addr_loopback;
  in6.sin6_scope_id = 3;
  EXPECT_EQ(Address::from_sockaddr(reinterpret_cast<sockaddr*>(&in6))->to_string(), "::1");
  sockaddr other{};
  other.sa_family = AF_UNIX;
  EXPECT_FALSE(Address::from_sockaddr(&other).has_value());
  EXPECT_FALSE(Address::from_sockaddr(nullptr).has_value());
}

TEST(AddressTest, AgreesWithTheSystemOnIPv6Text) {
  for (const char* text :
       {"::", "::1", "1::", "fe80::1", "2001:db8::8:800:200c:417a", "1:2:3:4:5:6:7:8",
        "64:ff9b::10.0.0.1", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "a:b:c:d:e:f:0:0"}) {
    in6_addr system{};
    ASSERT_EQ(inet_pton(AF_INET6, text, &system), 1) << text;
    const auto ours = Address::parse(text);
    ASSERT_TRUE(ours.has_value()) << text;
    EXPECT_TRUE(std::equal(ours->v6_bytes().begin(), ours->v6_bytes().end(), system.s6_addr))
        << text;
  }
}

TEST(AddressDeathTest, AskingForTheOtherFamilyDies) {
  EXPECT_DEATH(static_cast<void>(Address::parse("::1")->v4_bits()), "CHECK failed");
  EXPECT_DEATH(static_cast<void>(Address::v4(1).v6_bytes()), "CHECK failed");
}

TEST(CidrTest, ReadsBlocksAndSingleAddresses) {
  EXPECT_EQ(Cidr::parse("10.0.0.0/8")->to_string(), "10.0.0.0/8");
  EXPECT_EQ(Cidr::parse("0.0.0.0/0")->prefix, 0);
  EXPECT_EQ(Cidr::parse("192.0.2.7")->to_string(), "192.0.2.7/32");
  EXPECT_EQ(Cidr::parse("fd00::1")->to_string(), "fd00::1/128");
  EXPECT_TRUE(Cidr::parse("fd00::1")->is_single());
  EXPECT_FALSE(Cidr::parse("fd00::/127")->is_single());
}

TEST(CidrTest, RefusesWhatWouldOpenMoreThanItShows) {
  const auto block = Cidr::parse("10.0.0.1/8");
  ASSERT_FALSE(block.has_value());
  EXPECT_NE(block.error().detail.find("bits set after the first 8"), std::string::npos);
  EXPECT_FALSE(Cidr::parse("fd00::1/64").has_value());
}

TEST(CidrTest, RefusesMalformedBlocks) {
  for (const char* text : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/08", "10.0.0.0/-1",
                           "10.0.0.0/8/8", "::/129", "10/8", "10.0.0.0 /8", "host/8"}) {
    EXPECT_FALSE(Cidr::parse(text).has_value()) << text;
  }
}

TEST(CidrTest, ContainsExactlyItsBlock) {
  const Cidr block = *Cidr::parse("172.16.0.0/12");
  EXPECT_TRUE(block.contains(*Address::parse("172.16.0.0")));
  EXPECT_TRUE(block.contains(*Address::parse("172.31.255.255")));
  EXPECT_FALSE(block.contains(*Address::parse("172.15.255.255")));
  EXPECT_FALSE(block.contains(*Address::parse("172.32.0.0")));
  const Cidr odd = *Cidr::parse("2001:db8:8000::/33");
  EXPECT_TRUE(odd.contains(*Address::parse("2001:db8:ffff::1")));
  EXPECT_FALSE(odd.contains(*Address::parse("2001:db8:7fff::1")));
}

TEST(CidrTest, ContainsNothingOfTheOtherFamily) {
  EXPECT_FALSE(Cidr::parse("0.0.0.0/0")->contains(*Address::parse("::1")));
  EXPECT_FALSE(Cidr::parse("::/0")->contains(*Address::parse("127.0.0.1")));
  EXPECT_FALSE(Cidr::parse("::ffff:0:0/96")->contains(*Address::parse("127.0.0.1")));
}

}  // namespace
}  // namespace net
