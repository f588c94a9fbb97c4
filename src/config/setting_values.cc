// How the value of each setting is read and written, by the type of its field.

#include <fmt/format.h>

#include <array>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "config/setting_table.h"
#include "text/quantity.h"

namespace config {
namespace {

using base::Duration;
using base::ErrorCode;
using model::RetryAnchor;

std::unexpected<base::Error> refuse(std::string detail) {
  return base::fail(ErrorCode::kInvalid, std::move(detail));
}

template <class Value>
struct Word {
  std::string_view text;
  Value value;
};

constexpr std::array kBooleans = {Word{"true", true}, Word{"false", false}};
constexpr std::array kAnchors = {Word{"queued", RetryAnchor::kQueued},
                                 Word{"previous_attempt", RetryAnchor::kPreviousAttempt}};
constexpr std::array kLevels = {
    Word{"error", observe::Level::kError}, Word{"warn", observe::Level::kWarn},
    Word{"info", observe::Level::kInfo}, Word{"debug", observe::Level::kDebug}};
constexpr std::array kFormats = {Word{"text", observe::LogFormat::kText},
                                 Word{"json", observe::LogFormat::kJson}};

template <class Words>
std::string all_words(const Words& words) {
  std::string text;
  for (const auto& word : words) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", word.text);
  }
  return text;
}

template <class Words, class Value>
base::Result<void> read_word(const Words& words, std::string_view text, Value& value) {
  for (const auto& word : words) {
    if (word.text == text) {
      value = word.value;
      return {};
    }
  }
  return refuse("is not one of: " + all_words(words));
}

template <class Words, class Value>
std::string word_of(const Words& words, Value value) {
  for (const auto& word : words) {
    if (word.value == value) {
      return std::string(word.text);
    }
  }
  return {};
}

base::Result<net::Address> read_address(std::string_view text) {
  const std::optional<net::Address> address = net::Address::parse(text);
  if (!address.has_value()) {
    return refuse("is not an IPv4 or IPv6 address");
  }
  return *address;
}

base::Result<uint16_t> read_port(std::string_view text, int64_t least) {
  const base::Result<int64_t> port = ::text::parse_integer(text, {.min = least, .max = UINT16_MAX});
  if (!port.has_value()) {
    return refuse(fmt::format("has a port that {}", port.error().detail));
  }
  return static_cast<uint16_t>(*port);
}

// "127.0.0.1:8080", "[::1]:8080"
base::Result<net::SocketAddress> read_socket_address(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return refuse("is not an address and a port, such as 127.0.0.1:8080 or [::1]:8080");
  }
  std::string_view host = text.substr(0, colon);
  const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
  if (is_bracketed) {
    host = host.substr(1, host.size() - 2);
  }
  const std::optional<net::Address> address = net::Address::parse(host);
  if (!address.has_value() || address->is_v4() == is_bracketed) {
    return refuse("is not an address and a port, such as 127.0.0.1:8080 or [::1]:8080");
  }
  TRY(const uint16_t port, read_port(text.substr(colon + 1), 0));
  return net::SocketAddress{.address = *address, .port = port};
}

struct Reader {
  const SettingRow& row;
  std::string_view text;

  base::Result<void> operator()(bool* value) const { return read_word(kBooleans, text, *value); }
  base::Result<void> operator()(RetryAnchor* value) const {
    return read_word(kAnchors, text, *value);
  }
  base::Result<void> operator()(observe::Level* value) const {
    return read_word(kLevels, text, *value);
  }
  base::Result<void> operator()(observe::LogFormat* value) const {
    return read_word(kFormats, text, *value);
  }

  base::Result<void> operator()(std::string* value) const {
    if (text.empty()) {
      return refuse("is empty");
    }
    *value = text;
    return {};
  }

  template <class Number>
  base::Result<void> operator()(Number* value) const
    requires std::is_integral_v<Number>
  {
    TRY(const int64_t number, ::text::parse_integer(text, row.bounds));
    *value = static_cast<Number>(number);
    return {};
  }

  base::Result<void> operator()(WholeHours value) const {
    TRY(const int64_t hours, ::text::parse_whole_hours(text, row.bounds));
    *value.hours = static_cast<int>(hours);
    return {};
  }

  base::Result<void> operator()(ByteSize value) const {
    TRY(const int64_t bytes, ::text::parse_bytes(text, row.bounds));
    *value.bytes = static_cast<uint64_t>(bytes);
    return {};
  }

  base::Result<void> operator()(Duration* value) const {
    TRY(*value, ::text::parse_duration(text, row.bounds));
    return {};
  }

  base::Result<void> operator()(std::vector<Duration>* value) const {
    TRY(*value, ::text::parse_durations(text, row.bounds));
    return {};
  }

  base::Result<void> operator()(Ports value) const {
    std::vector<uint16_t> ports;
    if (text.empty()) {
      return refuse("is empty");
    }
    for (const std::string_view part : ::text::split_list(text)) {
      if (part == "any") {
        continue;
      }
      TRY(const uint16_t port, read_port(part, 1));
      ports.push_back(port);
    }
    value.guard->any_port = text == "any";
    if (!value.guard->any_port && ports.size() != ::text::split_list(text).size()) {
      return refuse("has any among others; write it alone");
    }
    value.guard->ports = std::move(ports);
    return {};
  }

  base::Result<void> operator()(std::vector<std::string>* value) const {
    const std::vector<std::string_view> parts = ::text::split_list(text);
    value->assign(parts.begin(), parts.end());
    return {};
  }

  base::Result<void> operator()(std::vector<net::Cidr>* value) const {
    std::vector<net::Cidr> blocks;
    for (const std::string_view part : ::text::split_list(text)) {
      const base::Result<net::Cidr> block = net::Cidr::parse(part);
      if (!block.has_value()) {
        return refuse("has an entry that is no block of addresses: " + block.error().detail);
      }
      blocks.push_back(*block);
    }
    *value = std::move(blocks);
    return {};
  }

  base::Result<void> operator()(std::vector<net::Address>* value) const {
    std::vector<net::Address> addresses;
    for (const std::string_view part : ::text::split_list(text)) {
      TRY(const net::Address address, read_address(part));
      addresses.push_back(address);
    }
    *value = std::move(addresses);
    return {};
  }

  base::Result<void> operator()(std::optional<net::Address>* value) const {
    TRY(*value, read_address(text));
    return {};
  }

  base::Result<void> operator()(net::SocketAddress* value) const {
    TRY(*value, read_socket_address(text));
    return {};
  }
};

template <class List, class Text>
std::string joined(const List& list, const Text& text_of) {
  std::string text;
  for (const auto& part : list) {
    text += (text.empty() ? "" : ",") + text_of(part);
  }
  return text;
}

struct Writer {
  const SettingRow& row;

  std::string operator()(const bool* value) const { return word_of(kBooleans, *value); }
  std::string operator()(const RetryAnchor* value) const { return word_of(kAnchors, *value); }
  std::string operator()(const observe::Level* value) const { return word_of(kLevels, *value); }
  std::string operator()(const observe::LogFormat* value) const {
    return word_of(kFormats, *value);
  }
  std::string operator()(const std::string* value) const { return *value; }

  template <class Number>
  std::string operator()(const Number* value) const
    requires std::is_integral_v<Number>
  {
    const auto number = static_cast<int64_t>(*value);
    return row.bounds.contains(number) ? fmt::format("{}", number) : "";
  }

  std::string operator()(WholeHours value) const {
    return ::text::duration_text(Duration::hours(*value.hours));
  }
  std::string operator()(ByteSize value) const {
    return row.bounds.contains(static_cast<int64_t>(*value.bytes))
               ? ::text::bytes_text(*value.bytes)
               : "";
  }
  std::string operator()(const Duration* value) const {
    return row.bounds.contains(value->count_ms()) ? ::text::duration_text(*value) : "";
  }
  std::string operator()(const std::vector<Duration>* value) const {
    return ::text::durations_text(*value);
  }
  std::string operator()(Ports value) const {
    return value.guard->any_port
               ? "any"
               : joined(value.guard->ports, [](uint16_t port) { return std::to_string(port); });
  }
  std::string operator()(const std::vector<std::string>* value) const {
    return joined(*value, [](const std::string& part) { return part; });
  }
  std::string operator()(const std::vector<net::Cidr>* value) const {
    return joined(*value, [](const net::Cidr& block) { return block.to_string(); });
  }
  std::string operator()(const std::vector<net::Address>* value) const {
    return joined(*value, [](const net::Address& address) { return address.to_string(); });
  }
  std::string operator()(const std::optional<net::Address>* value) const {
    return value->has_value() ? (*value)->to_string() : "";
  }
  std::string operator()(const net::SocketAddress* value) const { return value->to_string(); }
};

struct Copier {
  template <class Value>
  void operator()(Value* from, Value* to) const {
    *to = *from;
  }
  void operator()(WholeHours from, WholeHours to) const { *to.hours = *from.hours; }
  void operator()(ByteSize from, ByteSize to) const { *to.bytes = *from.bytes; }
  void operator()(Ports from, Ports to) const {
    to.guard->ports = from.guard->ports;
    to.guard->any_port = from.guard->any_port;
  }
  template <class From, class To>
  void operator()(const From& /*from*/, const To& /*to*/) const {
    CHECK(false);  // one row, one type
  }
};

// The rows lead to places that can be written to; who calls this does not write.
Field place_of(const SettingRow& row, const Settings& settings) {
  return row.field(const_cast<Settings&>(settings));
}

}  // namespace

base::Result<void> set_value(const SettingRow& row, std::string_view text, Settings& settings) {
  return std::visit(Reader{.row = row, .text = text}, row.field(settings));
}

void copy_value(const SettingRow& row, const Settings& from, Settings& to) {
  std::visit(Copier{}, place_of(row, from), row.field(to));
}

std::string value_text(const SettingRow& row, const Settings& settings) {
  return std::visit(Writer{.row = row}, place_of(row, settings));
}

}  // namespace config
