#include "net/address_guard.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <string>

namespace net {
namespace {

Address address(std::string_view text) {
  const auto parsed = Address::parse(text);
  CHECK(parsed.has_value());
  return *parsed;
}

AddressGuard guard_allowing(std::initializer_list<const char*> blocks, bool link_local = false) {
  GuardOptions options;
  for (const char* block : blocks) {
    options.allow.push_back(*Cidr::parse(block));
  }
  options.allow_link_local = link_local;
  return AddressGuard(options);
}

TEST(AddressGuardTest, PublicAddressesMayBeReached) {
  const AddressGuard guard({});
  for (const char* text :
       {"8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "172.32.0.0", "192.0.1.0", "223.255.255.255", "2606:4700::1", "2a00:1450:4001::200e",
        "2001:200::1", "3ffe::1", "2620:4f:8001::1"}) {
    EXPECT_FALSE(guard.judge(address(text)).has_value()) << text;
  }
}

TEST(AddressGuardTest, EveryKindOfSpecialIPv4AddressHasItsName) {
  const AddressGuard guard({});
  EXPECT_EQ(guard.judge(address("0.0.0.0")), Refusal::kUnspecified);
  EXPECT_EQ(guard.judge(address("127.255.0.3")), Refusal::kLoopback);
  EXPECT_EQ(guard.judge(address("10.1.2.3")), Refusal::kPrivate);
  EXPECT_EQ(guard.judge(address("172.31.0.1")), Refusal::kPrivate);
  EXPECT_EQ(guard.judge(address("192.168.1.1")), Refusal::kPrivate);
  EXPECT_EQ(guard.judge(address("100.64.0.1")), Refusal::kShared);
  EXPECT_EQ(guard.judge(address("169.254.1.1")), Refusal::kLinkLocal);
  EXPECT_EQ(guard.judge(address("169.254.169.254")), Refusal::kMetadata);
  EXPECT_EQ(guard.judge(address("168.63.129.16")), Refusal::kMetadata);
  EXPECT_EQ(guard.judge(address("100.100.100.200")), Refusal::kMetadata);
  EXPECT_EQ(guard.judge(address("192.0.0.8")), Refusal::kInfrastructure);
  EXPECT_EQ(guard.judge(address("192.0.2.1")), Refusal::kDocumentation);
  EXPECT_EQ(guard.judge(address("198.19.255.255")), Refusal::kBenchmark);
  EXPECT_EQ(guard.judge(address("224.0.0.1")), Refusal::kMulticast);
  EXPECT_EQ(guard.judge(address("255.255.255.255")), Refusal::kReserved);
}

TEST(AddressGuardTest, EveryKindOfSpecialIPv6AddressHasItsName) {
  const AddressGuard guard({});
  EXPECT_EQ(guard.judge(address("::")), Refusal::kUnspecified);
  EXPECT_EQ(guard.judge(address("::1")), Refusal::kLoopback);
  EXPECT_EQ(guard.judge(address("fd12::1")), Refusal::kPrivate);
  EXPECT_EQ(guard.judge(address("fec0::1")), Refusal::kPrivate);
  EXPECT_EQ(guard.judge(address("fe80::1")), Refusal::kLinkLocal);
  EXPECT_EQ(guard.judge(address("febf::1")), Refusal::kLinkLocal);
  EXPECT_EQ(guard.judge(address("fd00:ec2::254")), Refusal::kMetadata);
  EXPECT_EQ(guard.judge(address("fd20:ce::254")), Refusal::kMetadata);
  EXPECT_EQ(guard.judge(address("2001:db8::1")), Refusal::kDocumentation);
  EXPECT_EQ(guard.judge(address("3fff:fff::1")), Refusal::kDocumentation);
  EXPECT_EQ(guard.judge(address("2001:1ff::1")), Refusal::kInfrastructure);
  EXPECT_EQ(guard.judge(address("2620:4f:8000::1")), Refusal::kInfrastructure);
  EXPECT_EQ(guard.judge(address("ff02::1")), Refusal::kMulticast);
  EXPECT_EQ(guard.judge(address("100::1")), Refusal::kReserved);
  EXPECT_EQ(guard.judge(address("5f00::1")), Refusal::kReserved);
  EXPECT_EQ(guard.judge(address("4000::1")), Refusal::kReserved);
}

TEST(AddressGuardTest, IPv6AddressesThatStandForIPv4AreRefusedWhateverTheyCarry) {
  const AddressGuard guard({});
  for (const char* text : {"::ffff:8.8.8.8", "::8.8.8.8", "::ffff:0:8.8.8.8", "64:ff9b::8.8.8.8",
                           "64:ff9b:1::8.8.8.8", "2002:808:808::1", "::5efe:8.8.8.8",
                           "2606:4700::5efe:8.8.8.8", "2606:4700::200:5efe:8.8.8.8"}) {
    EXPECT_EQ(guard.judge(address(text)), Refusal::kTranslated) << text;
  }
  EXPECT_EQ(guard.judge(address("2001::1")), Refusal::kInfrastructure) << "Teredo";
}

TEST(AddressGuardTest, TheAllowListOpensItsBlocksAndNoMore) {
  const AddressGuard guard = guard_allowing({"10.1.0.0/16", "127.0.0.0/8", "::1", "fd12::/16"});
  EXPECT_FALSE(guard.judge(address("10.1.255.255")).has_value());
  EXPECT_EQ(guard.judge(address("10.2.0.0")), Refusal::kPrivate);
  EXPECT_FALSE(guard.judge(address("127.0.0.1")).has_value());
  EXPECT_FALSE(guard.judge(address("::1")).has_value());
  EXPECT_FALSE(guard.judge(address("fd12::5")).has_value());
  EXPECT_EQ(guard.judge(address("fd13::5")), Refusal::kPrivate);
  EXPECT_FALSE(guard.judge(address("8.8.8.8")).has_value());
}

TEST(AddressGuardTest, LinkLocalAndMetadataNeedTheSecondFlag) {
  const auto targets = {"169.254.169.254", "169.254.1.1",     "fe80::1",
                        "fd00:ec2::254",   "fd00:ec2::23",    "168.63.129.16",
                        "fd20:ce::254",    "100.100.100.200", "192.0.0.192"};
  const AddressGuard one_flag = guard_allowing({"0.0.0.0/0", "::/0"});
  const AddressGuard both = guard_allowing({"0.0.0.0/0", "::/0"}, true);
  const AddressGuard no_list = guard_allowing({}, true);
  for (const char* text : targets) {
    EXPECT_TRUE(one_flag.judge(address(text)).has_value()) << text;
    EXPECT_TRUE(no_list.judge(address(text)).has_value()) << text;
    EXPECT_FALSE(both.judge(address(text)).has_value()) << text;
  }
}

TEST(AddressGuardTest, NoSpellingInIPv6LeadsAroundTheSecondFlag) {
  const AddressGuard guard = guard_allowing({"0.0.0.0/0", "::/0"});
  for (const char* text :
       {"::ffff:169.254.169.254", "::169.254.169.254", "::ffff:0:169.254.169.254",
        "64:ff9b::169.254.169.254", "2002:a9fe:a9fe::1", "2606:4700::5efe:169.254.169.254",
        "2001:0:808:808::5601:5601", "2002:808:808::5efe:169.254.169.254"}) {
    EXPECT_TRUE(guard.judge(address(text)).has_value()) << text;
  }
}

TEST(AddressGuardTest, AnOpenTranslationLeadsOnlyWhereIPv4Leads) {
  const AddressGuard guard = guard_allowing({"64:ff9b::/96", "64:ff9b:1::/48", "2002::/16"});
  EXPECT_FALSE(guard.judge(address("64:ff9b::8.8.8.8")).has_value());
  EXPECT_FALSE(guard.judge(address("2002:808:808::1")).has_value());
  EXPECT_EQ(guard.judge(address("64:ff9b::10.0.0.1")), Refusal::kTranslated);
  EXPECT_EQ(guard.judge(address("2002:a00:1::1")), Refusal::kTranslated);
  EXPECT_EQ(guard.judge(address("64:ff9b:1:808:8:800::")), Refusal::kTranslated);
  const AddressGuard wider = guard_allowing({"64:ff9b::/96", "10.0.0.0/8"});
  EXPECT_FALSE(wider.judge(address("64:ff9b::10.0.0.1")).has_value());
}

TEST(AddressGuardTest, UnspecifiedAndMulticastNeverOpen) {
  const AddressGuard guard = guard_allowing({"0.0.0.0/0", "::/0"}, true);
  for (const char* text : {"0.0.0.0", "0.1.2.3", "::", "224.0.0.1", "239.255.255.255", "ff02::1",
                           "::ffff:0.0.0.0", "::0.0.0.2"}) {
    EXPECT_TRUE(guard.judge(address(text)).has_value()) << text;
  }
}

TEST(AddressGuardTest, OwnAddressesAreRefusedThoughPublicOrInAnOpenBlock) {
  GuardOptions options;
  options.own_addresses = {address("203.0.114.7"), address("10.0.0.5"), address("2606:4700::7"),
                           address("127.0.0.1"), address("10.0.0.6")};
  options.allow = {*Cidr::parse("10.0.0.0/8"), *Cidr::parse("127.0.0.0/8"),
                   *Cidr::parse("10.0.0.6")};
  const AddressGuard guard(options);
  EXPECT_EQ(guard.judge(address("203.0.114.7")), Refusal::kOwnAddress);
  EXPECT_EQ(guard.judge(address("2606:4700::7")), Refusal::kOwnAddress);
  EXPECT_EQ(guard.judge(address("10.0.0.5")), Refusal::kOwnAddress);
  EXPECT_FALSE(guard.judge(address("10.0.0.6")).has_value()) << "named by itself";
  EXPECT_FALSE(guard.judge(address("10.0.0.7")).has_value());
  EXPECT_FALSE(guard.judge(address("127.0.0.1")).has_value()) << "loopback follows the list";
}

TEST(AddressGuardTest, OnlyListedPortsAreOpen) {
  const AddressGuard standard({});
  GuardOptions options;
  options.ports = {8443, 443};
  const AddressGuard listed(options);
  int open = 0;
  for (uint32_t port = 0; port <= 65535; ++port) {
    open += standard.judge_port(static_cast<uint16_t>(port)).has_value() ? 0 : 1;
  }
  EXPECT_EQ(open, 2);
  EXPECT_FALSE(standard.judge_port(80).has_value());
  EXPECT_FALSE(standard.judge_port(443).has_value());
  EXPECT_FALSE(listed.judge_port(8443).has_value());
  EXPECT_EQ(listed.judge_port(80), Refusal::kPort);
}

TEST(AddressGuardTest, PortsOfOtherProtocolsNeverOpen) {
  GuardOptions options;
  options.any_port = true;
  options.ports = {25, 22, 6667};
  const AddressGuard guard(options);
  const std::set<int> samples = {0,   1,   22,  25,   53,   110,  143,  389,  465,
                                 587, 636, 993, 2049, 5060, 6000, 6667, 6697, 10080};
  for (const int port : samples) {
    EXPECT_EQ(guard.judge_port(static_cast<uint16_t>(port)), Refusal::kPort) << port;
  }
  for (const uint16_t port : std::to_array<uint16_t>({80, 443, 3000, 8080, 8443, 65535})) {
    EXPECT_FALSE(guard.judge_port(port).has_value()) << port;
  }
  int refused = 0;
  for (uint32_t port = 0; port <= 65535; ++port) {
    refused += guard.judge_port(static_cast<uint16_t>(port)).has_value() ? 1 : 0;
  }
  EXPECT_EQ(refused, 83);
}

TEST(AddressGuardTest, NamesThatCanOnlyBeInsideAreRefused) {
  const AddressGuard guard({});
  for (const char* name :
       {"localhost", "LocalHost", "localhost.", "a.localhost", "metadata", "intranet",
        "metadata.google.internal", "printer.local", "router.lan", "nas.home.arpa", "x.corp",
        "db.localdomain", "x.onion", "x.test", "x.invalid", "", ".", "a.example"}) {
    EXPECT_EQ(guard.judge_name(name), Refusal::kName) << name;
  }
  for (const char* name : {"example.com", "local.example.com", "internal.dev", "x.co",
                           "a.localhosts", "1.2.3.4.nip.io"}) {
    EXPECT_FALSE(guard.judge_name(name).has_value()) << name;
  }
}

TEST(AddressGuardTest, WithAnAllowListNamesMayResolveAndTheAddressDecides) {
  const AddressGuard guard = guard_allowing({"10.0.0.0/8"});
  EXPECT_FALSE(guard.judge_name("localhost").has_value());
  EXPECT_FALSE(guard.judge_name("hooks").has_value());
  EXPECT_FALSE(guard.judge_name("hooks.internal").has_value());
  EXPECT_EQ(guard.judge(address("127.0.0.1")), Refusal::kLoopback) << "what localhost leads to";
}

TEST(AddressGuardTest, NamesThatACLibraryTakesForAnAddressAreRefusedAlways) {
  const AddressGuard guard = guard_allowing({"10.0.0.0/8"});
  for (const char* name :
       {"127.1", "2130706433", "0x7f.1", "127.0.0.1", "a.0x7f", "1.", "0X7F000001"}) {
    EXPECT_EQ(guard.judge_name(name), Refusal::kName) << name;
  }
}

TEST(AddressGuardTest, EveryRefusalHasItsOwnWords) {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(Refusal::kName); ++i) {
    words.insert(to_words(static_cast<Refusal>(i)));
  }
  EXPECT_EQ(words.size(), static_cast<size_t>(Refusal::kName) + 1);
}

TEST(OwnAddressesTest, ThisMachineHasALoopbackAddress) {
  const auto own = own_addresses();
  EXPECT_TRUE(std::ranges::binary_search(own, address("127.0.0.1")));
}

}  // namespace
}  // namespace net
