#include "net/address.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>

namespace net {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Decimal, at least one digit, no leading zero, at most `max`.
std::optional<uint32_t> parse_decimal(std::string_view text, uint32_t max) {
  if (text.empty() || text.size() > 10 || !std::ranges::all_of(text, is_digit) ||
      (text.size() > 1 && text[0] == '0')) {
    return std::nullopt;
  }
  uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  if (value > max) {
    return std::nullopt;
  }
  return static_cast<uint32_t>(value);
}

std::optional<uint32_t> parse_v4(std::string_view text) {
  uint32_t bits = 0;
  for (int part = 0; part < 4; ++part) {
    const size_t dot = part < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) {
      return std::nullopt;
    }
    const auto octet = parse_decimal(text.substr(0, dot), 255);
    if (!octet.has_value()) {
      return std::nullopt;
    }
    bits = bits << 8U | *octet;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return bits;
}

// Up to eight groups of 16 bits, before or after the "::".
struct Groups {
  std::array<uint16_t, 8> values = {};
  size_t count = 0;

  bool add(uint32_t value) {
    if (count == values.size()) {
      return false;
    }
    values[count++] = static_cast<uint16_t>(value);
    return true;
  }
};

bool add_group(std::string_view text, Groups& groups) {
  uint16_t value = 0;
  const char* end = text.data() + text.size();
  return !text.empty() && text.size() <= 4 &&
         std::from_chars(text.data(), end, value, 16) == std::from_chars_result{end, std::errc()} &&
         groups.add(value);
}

bool add_dotted_tail(std::string_view text, Groups& groups) {
  const auto bits = parse_v4(text);
  return bits.has_value() && groups.add(*bits >> 16U) && groups.add(*bits & 0xffffU);
}

// Groups separated by single colons; a dotted quad may stand in for the last two.
std::optional<Groups> parse_groups(std::string_view text, bool may_end_dotted) {
  Groups groups;
  while (!text.empty()) {
    const size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    const bool is_last = colon == std::string_view::npos;
    const bool is_dotted = is_last && may_end_dotted && part.contains('.');
    if (!(is_dotted ? add_dotted_tail(part, groups) : add_group(part, groups))) {
      return std::nullopt;
    }
    if (is_last) {
      return groups;
    }
    text.remove_prefix(colon + 1);
    if (text.empty()) {
      return std::nullopt;
    }
  }
  return groups;
}

std::array<uint8_t, 16> to_bytes(const Groups& head, const Groups& tail) {
  std::array<uint16_t, 8> groups = {};
  std::copy_n(head.values.begin(), head.count, groups.begin());
  std::copy_n(tail.values.begin(), tail.count, groups.end() - static_cast<ptrdiff_t>(tail.count));
  std::array<uint8_t, 16> bytes = {};
  for (size_t i = 0; i < groups.size(); ++i) {
    bytes[2 * i] = static_cast<uint8_t>(groups[i] >> 8U);
    bytes[2 * i + 1] = static_cast<uint8_t>(groups[i]);
  }
  return bytes;
}

std::optional<std::array<uint8_t, 16>> parse_v6(std::string_view text) {
  const size_t gap = text.find("::");
  if (gap == std::string_view::npos) {
    const auto all = parse_groups(text, true);
    if (!all.has_value() || all->count != 8) {
      return std::nullopt;
    }
    return to_bytes(*all, {});
  }
  const auto head = parse_groups(text.substr(0, gap), false);
  const auto tail = parse_groups(text.substr(gap + 2), true);
  // "::" stands for at least one group.
  if (!head.has_value() || !tail.has_value() || head->count + tail->count > 7) {
    return std::nullopt;
  }
  return to_bytes(*head, *tail);
}

std::string v4_text(std::span<const uint8_t> octets) {
  std::string text;
  for (const uint8_t octet : octets) {
    text += (text.empty() ? "" : ".") + std::to_string(octet);
  }
  return text;
}

// The longest run of at least two zero groups, the first of equals; {8, 0} without one.
struct ZeroRun {
  size_t begin = 8;
  size_t length = 0;
};

ZeroRun longest_zero_run(const std::array<uint16_t, 8>& groups) {
  ZeroRun longest;
  ZeroRun current{0, 0};
  for (size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] != 0) {
      current = {i + 1, 0};
      continue;
    }
    ++current.length;
    if (current.length >= 2 && current.length > longest.length) {
      longest = current;
    }
  }
  return longest;
}

void append_hex(std::string& text, uint16_t group) {
  std::array<char, 4> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), group, 16).ptr;
  text.append(digits.data(), end);
}

std::string v6_text(const std::array<uint8_t, 16>& bytes) {
  std::array<uint16_t, 8> groups{};
  for (size_t i = 0; i < groups.size(); ++i) {
    groups[i] = static_cast<uint16_t>(bytes[2 * i] << 8U | bytes[2 * i + 1]);
  }
  const ZeroRun gap = longest_zero_run(groups);
  std::string text;
  for (size_t i = 0; i < groups.size();) {
    if (i == gap.begin) {
      text += "::";
      i += gap.length;
      continue;
    }
    if (!text.empty() && !text.ends_with("::")) {
      text += ':';
    }
    append_hex(text, groups[i++]);
  }
  return text;
}

std::span<const uint8_t> octets_of(const Address& address, std::array<uint8_t, 4>& v4) {
  if (!address.is_v4()) {
    return address.v6_bytes();
  }
  const uint32_t bits = address.v4_bits();
  for (size_t i = 0; i < v4.size(); ++i) {
    v4[i] = static_cast<uint8_t>(bits >> (24U - 8U * i));
  }
  return v4;
}

// Whether the first `prefix` bits are equal.
bool have_same_prefix(std::span<const uint8_t> left, std::span<const uint8_t> right,
                      size_t prefix) {
  const size_t whole = prefix / 8;
  const size_t rest = prefix % 8;
  if (!std::ranges::equal(left.first(whole), right.first(whole))) {
    return false;
  }
  return rest == 0 || ((left[whole] ^ right[whole]) >> (8 - rest)) == 0;
}

bool has_only_zeros_after(std::span<const uint8_t> octets, size_t prefix) {
  for (size_t bit = prefix; bit < octets.size() * 8; ++bit) {
    if ((octets[bit / 8] >> (7 - bit % 8) & 1U) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Address> Address::parse(std::string_view text) {
  if (text.contains(':')) {
    const auto bytes = parse_v6(text);
    return bytes.has_value() ? std::optional(v6(*bytes)) : std::nullopt;
  }
  const auto bits = parse_v4(text);
  return bits.has_value() ? std::optional(v4(*bits)) : std::nullopt;
}

std::optional<Address> Address::from_sockaddr(const sockaddr* address) {
  if (address == nullptr) {
    return std::nullopt;
  }
  if (address->sa_family == AF_INET) {
    sockaddr_in in{};
    std::memcpy(&in, address, sizeof in);
    return v4(ntohl(in.sin_addr.s_addr));
  }
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 in6{};
    std::memcpy(&in6, address, sizeof in6);
    std::array<uint8_t, 16> bytes{};
    std::ranges::copy(in6.sin6_addr.s6_addr, bytes.begin());
    return v6(bytes);
  }
  return std::nullopt;
}

std::string Address::to_string() const {
  return is_v4_ ? v4_text(std::span(bytes_).first(4)) : v6_text(bytes_);
}

base::Result<Cidr> Cidr::parse(std::string_view text) {
  const size_t slash = text.find('/');
  const auto address = Address::parse(text.substr(0, slash));
  if (!address.has_value()) {
    return base::fail(base::ErrorCode::kInvalid,
                      "a block of addresses starts with an IPv4 or IPv6 address; write it like "
                      "10.0.0.0/8 or fd00::/8");
  }
  const uint32_t bits = address->is_v4() ? 32 : 128;
  std::optional<uint32_t> prefix = bits;
  if (slash != std::string_view::npos) {
    prefix = parse_decimal(text.substr(slash + 1), bits);
  }
  if (!prefix.has_value()) {
    return base::fail(base::ErrorCode::kInvalid, "after the slash comes a number from 0 to " +
                                                     std::to_string(bits) +
                                                     ", the count of leading bits that are fixed");
  }
  std::array<uint8_t, 4> v4{};
  if (!has_only_zeros_after(octets_of(*address, v4), *prefix)) {
    return base::fail(base::ErrorCode::kInvalid,
                      "the address has bits set after the first " + std::to_string(*prefix) +
                          "; write the first address of the block, or a longer prefix");
  }
  return Cidr{*address, static_cast<int>(*prefix)};
}

bool Cidr::contains(const Address& other) const {
  if (other.is_v4() != address.is_v4()) {
    return false;
  }
  std::array<uint8_t, 4> mine{};
  std::array<uint8_t, 4> theirs{};
  return have_same_prefix(octets_of(address, mine), octets_of(other, theirs),
                          static_cast<size_t>(prefix));
}

std::string Cidr::to_string() const { return address.to_string() + "/" + std::to_string(prefix); }

}  // namespace net
