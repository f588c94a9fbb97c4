#include "net/address_guard.h"

#include <ifaddrs.h>

#include <algorithm>
#include <array>
#include <utility>

namespace net {

namespace {

// The first row that matches says what an address is.
struct V4Block {
  uint32_t bits;
  int prefix;
  Refusal refusal;

  constexpr bool contains(uint32_t address) const {
    return ((address ^ bits) & (UINT32_MAX << (32 - prefix))) == 0;
  }
};

constexpr uint32_t quad(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  return a << 24U | b << 16U | c << 8U | d;
}

constexpr auto kV4Blocks = std::to_array<V4Block>({
    // Metadata servers of clouds: AWS and most others, ECS, EKS, Azure, Alibaba, Oracle.
    {quad(169, 254, 169, 254), 32, Refusal::kMetadata},
    {quad(169, 254, 170, 2), 32, Refusal::kMetadata},
    {quad(169, 254, 170, 23), 32, Refusal::kMetadata},
    {quad(168, 63, 129, 16), 32, Refusal::kMetadata},
    {quad(100, 100, 100, 200), 32, Refusal::kMetadata},
    {quad(192, 0, 0, 192), 32, Refusal::kMetadata},
    // The special-purpose registry. 192.0.0.0/24 is refused whole, with its two anycast addresses
    // that are globally reachable: they belong to protocols, not to receivers.
    {quad(0, 0, 0, 0), 8, Refusal::kUnspecified},
    {quad(10, 0, 0, 0), 8, Refusal::kPrivate},
    {quad(100, 64, 0, 0), 10, Refusal::kShared},
    {quad(127, 0, 0, 0), 8, Refusal::kLoopback},
    {quad(169, 254, 0, 0), 16, Refusal::kLinkLocal},
    {quad(172, 16, 0, 0), 12, Refusal::kPrivate},
    {quad(192, 0, 0, 0), 24, Refusal::kInfrastructure},
    {quad(192, 0, 2, 0), 24, Refusal::kDocumentation},
    {quad(192, 31, 196, 0), 24, Refusal::kInfrastructure},  // AS112
    {quad(192, 52, 193, 0), 24, Refusal::kInfrastructure},  // AMT
    {quad(192, 88, 99, 0), 24, Refusal::kInfrastructure},   // 6to4 relays
    {quad(192, 168, 0, 0), 16, Refusal::kPrivate},
    {quad(192, 175, 48, 0), 24, Refusal::kInfrastructure},  // AS112
    {quad(198, 18, 0, 0), 15, Refusal::kBenchmark},
    {quad(198, 51, 100, 0), 24, Refusal::kDocumentation},
    {quad(203, 0, 113, 0), 24, Refusal::kDocumentation},
    {quad(224, 0, 0, 0), 4, Refusal::kMulticast},
    {quad(240, 0, 0, 0), 4, Refusal::kReserved},
});

std::optional<Refusal> classify_v4(uint32_t bits) {
  for (const V4Block& block : kV4Blocks) {
    if (block.contains(bits)) {
      return block.refusal;
    }
  }
  return std::nullopt;
}

// An IPv6 address as two numbers, so that a prefix is a mask.
struct V6Halves {
  uint64_t high = 0;
  uint64_t low = 0;
};

V6Halves halves_of(const std::array<uint8_t, 16>& bytes) {
  V6Halves halves;
  for (size_t i = 0; i < 8; ++i) {
    halves.high = halves.high << 8U | bytes[i];
    halves.low = halves.low << 8U | bytes[i + 8];
  }
  return halves;
}

// A block of at most 64 bits: the second half of the address plays no part.
struct V6Block {
  uint64_t high;
  int prefix;
  Refusal refusal;

  constexpr bool contains(uint64_t address) const {
    return ((address ^ high) & (UINT64_MAX << (64 - prefix))) == 0;
  }
};

constexpr auto kV6Blocks = std::to_array<V6Block>({
    // Inside 2000::/3.
    {0x2001'0000'0000'0000, 23, Refusal::kInfrastructure},  // Teredo, ORCHID, benchmarks, AS112 ...
    {0x2001'0db8'0000'0000, 32, Refusal::kDocumentation},
    {0x2002'0000'0000'0000, 16, Refusal::kTranslated},      // 6to4
    {0x2620'004f'8000'0000, 48, Refusal::kInfrastructure},  // AS112
    {0x3fff'0000'0000'0000, 20, Refusal::kDocumentation},
    // Outside: only for the right word.
    {0x0064'ff9b'0000'0000, 32, Refusal::kTranslated},  // NAT64, both blocks
    {0xfd00'0ec2'0000'0000, 32, Refusal::kMetadata},    // AWS
    {0xfd20'00ce'0000'0000, 64, Refusal::kMetadata},    // Google
    {0xfc00'0000'0000'0000, 7, Refusal::kPrivate},
    {0xfe80'0000'0000'0000, 10, Refusal::kLinkLocal},
    {0xfec0'0000'0000'0000, 10, Refusal::kPrivate},
    {0xff00'0000'0000'0000, 8, Refusal::kMulticast},
});

bool is_isatap(uint64_t low) {
  const uint64_t identifier = low >> 32U;
  return identifier == 0x0000'5efe || identifier == 0x0200'5efe;
}

std::optional<Refusal> classify_v6(const V6Halves& address) {
  if (address.high == 0 && address.low <= 1) {
    return address.low == 0 ? Refusal::kUnspecified : Refusal::kLoopback;
  }
  for (const V6Block& block : kV6Blocks) {
    if (block.contains(address.high)) {
      return block.refusal;
    }
  }
  const bool is_global_unicast = address.high >> 61U == 1;  // 2000::/3
  if (is_isatap(address.low) || address.high == 0) {
    return Refusal::kTranslated;
  }
  return is_global_unicast ? std::nullopt : std::optional(Refusal::kReserved);
}

std::optional<Refusal> classify(const Address& address) {
  return address.is_v4() ? classify_v4(address.v4_bits())
                         : classify_v6(halves_of(address.v6_bytes()));
}

// The local NAT64 block leaves it to the network where the IPv4 address stands.
bool has_unknown_layout(const Address& address) {
  return !address.is_v4() && halves_of(address.v6_bytes()).high >> 16U == 0x0064'ff9b'0001;
}

// The IPv4 addresses inside an IPv6 address: by the rule of its block, and by its identifier.
std::array<std::optional<Address>, 2> carried_v4(const Address& address) {
  if (address.is_v4()) {
    return {};
  }
  const auto [high, low] = halves_of(address.v6_bytes());
  const auto v4 = [](uint64_t bits) { return Address::v4(static_cast<uint32_t>(bits)); };
  std::array<std::optional<Address>, 2> carried;
  if (high >> 32U == 0x2001'0000) {  // Teredo: the client, inverted
    carried[0] = v4(~low);
  } else if (high >> 48U == 0x2002) {  // 6to4
    carried[0] = v4(high >> 16U);
  }
  const bool is_nat64 = high == 0x0064'ff9b'0000'0000 && low >> 32U == 0;
  const bool is_low = high == 0 && low > 1;  // mapped, compatible, SIIT
  if (is_nat64 || is_low || is_isatap(low)) {
    carried[1] = v4(low);
  }
  return carried;
}

// https://fetch.spec.whatwg.org/#port-blocking; sorted.
constexpr auto kBadPorts = std::to_array<uint16_t>({
    0,    1,    7,    9,    11,   13,   15,   17,   19,   20,   21,   22,   23,    25,
    37,   42,   43,   53,   69,   77,   79,   87,   95,   101,  102,  103,  104,   109,
    110,  111,  113,  115,  117,  119,  123,  135,  137,  139,  143,  161,  179,   389,
    427,  465,  512,  513,  514,  515,  526,  530,  531,  532,  540,  548,  554,   556,
    563,  587,  601,  636,  989,  990,  993,  995,  1719, 1720, 1723, 2049, 3659,  4045,
    4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
});
static_assert(std::ranges::is_sorted(kBadPorts));

// Top-level names that no public resolver should answer for: RFC 6761, 6762, 7686, 8375, 9476,
// ICANN's reservation of .internal, and what home and office routers make up.
constexpr auto kInsideNames = std::to_array<std::string_view>({
    "alt",
    "arpa",
    "corp",
    "example",
    "home",
    "internal",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "onion",
    "private",
    "test",
});

bool ends_in_number(std::string_view last_label) {
  return std::ranges::all_of(last_label, [](char c) { return c >= '0' && c <= '9'; }) ||
         last_label.starts_with("0x") || last_label.starts_with("0X");
}

std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lower;
}

}  // namespace

std::string_view to_words(Refusal refusal) {
  switch (refusal) {
    case Refusal::kUnspecified:
      return "an unspecified address, which leads back to this machine";
    case Refusal::kLoopback:
      return "a loopback address, this machine itself";
    case Refusal::kPrivate:
      return "an address of a private network";
    case Refusal::kShared:
      return "an address shared inside a provider's network (100.64.0.0/10)";
    case Refusal::kLinkLocal:
      return "a link-local address";
    case Refusal::kMetadata:
      return "a cloud's metadata server";
    case Refusal::kDocumentation:
      return "an address meant for documentation only";
    case Refusal::kBenchmark:
      return "an address meant for benchmarks only (198.18.0.0/15)";
    case Refusal::kInfrastructure:
      return "an address that belongs to an Internet protocol";
    case Refusal::kTranslated:
      return "an IPv6 address that stands for an IPv4 address; use the IPv4 address";
    case Refusal::kMulticast:
      return "a multicast address, which is no single receiver";
    case Refusal::kReserved:
      return "a reserved address, which is not in public use";
    case Refusal::kOwnAddress:
      return "an address of this server";
    case Refusal::kPort:
      return "a port that is not open for deliveries";
    case Refusal::kName:
      return "a name that has no public address";
  }
  CHECK(false);
}

AddressGuard::AddressGuard(GuardOptions options) : options_(std::move(options)) {
  std::ranges::sort(options_.own_addresses);
  std::ranges::sort(options_.ports);
}

std::optional<Refusal> AddressGuard::judge(const Address& address) const {
  const auto refusal = classify(address);
  if (refusal.has_value() && !opens(*refusal, address)) {
    return refusal;
  }
  if (refusal != Refusal::kLoopback &&
      std::ranges::binary_search(options_.own_addresses, address) &&
      !is_allowed_by_itself(address)) {
    return Refusal::kOwnAddress;
  }
  return std::nullopt;
}

// Whether the operator's allow list lifts this refusal.
bool AddressGuard::opens(Refusal refusal, const Address& address) const {
  if (refusal == Refusal::kUnspecified || refusal == Refusal::kMulticast || !is_allowed(address)) {
    return false;
  }
  if ((refusal == Refusal::kLinkLocal || refusal == Refusal::kMetadata) &&
      !options_.allow_link_local) {
    return false;
  }
  return !has_unknown_layout(address) &&
         std::ranges::none_of(carried_v4(address), [this](const std::optional<Address>& v4) {
           return v4.has_value() && judge(*v4).has_value();
         });
}

bool AddressGuard::is_allowed(const Address& address) const {
  return std::ranges::any_of(options_.allow,
                             [&](const Cidr& block) { return block.contains(address); });
}

bool AddressGuard::is_allowed_by_itself(const Address& address) const {
  return std::ranges::any_of(options_.allow, [&](const Cidr& block) {
    return block.is_single() && block.address == address;
  });
}

std::optional<Refusal> AddressGuard::judge_port(uint16_t port) const {
  const bool is_bad = std::ranges::binary_search(kBadPorts, port);
  const bool is_open = options_.any_port || std::ranges::binary_search(options_.ports, port);
  return is_bad || !is_open ? std::optional(Refusal::kPort) : std::nullopt;
}

std::optional<Refusal> AddressGuard::judge_name(std::string_view host) const {
  const std::string name = to_lower(host.ends_with('.') ? host.substr(0, host.size() - 1) : host);
  const size_t dot = name.rfind('.');
  const std::string_view last = std::string_view(name).substr(dot + 1);  // all without a dot
  if (last.empty() || ends_in_number(last)) {
    return Refusal::kName;
  }
  const bool is_inside =
      dot == std::string::npos || std::ranges::find(kInsideNames, last) != kInsideNames.end();
  return is_inside && options_.allow.empty() ? std::optional(Refusal::kName) : std::nullopt;
}

std::vector<Address> own_addresses() {
  std::vector<Address> addresses;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) {
    return addresses;
  }
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    const auto address = Address::from_sockaddr(entry->ifa_addr);
    if (address.has_value()) {
      addresses.push_back(*address);
    }
  }
  freeifaddrs(list);
  std::ranges::sort(addresses);
  const auto repeated = std::ranges::unique(addresses);
  addresses.erase(repeated.begin(), repeated.end());
  return addresses;
}

}  // namespace net
