#include "text/id_text.h"

#include <algorithm>
#include <charconv>

namespace text {
namespace {

constexpr size_t kDigits = 16;

// Half a dozen for every event, hence by hand.
std::string make(std::string_view prefix, uint64_t value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text(prefix.size() + 1 + kDigits, '_');
  std::ranges::copy(prefix, text.begin());
  for (size_t digit = 0; digit < kDigits; ++digit) {
    text[text.size() - 1 - digit] = kHex[(value >> (4 * digit)) & 0xfU];
  }
  return text;
}

bool is_lower_hex(char digit) {
  return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
}

std::optional<uint64_t> parse(std::string_view prefix, std::string_view text) {
  if (text.size() != prefix.size() + 1 + kDigits || !text.starts_with(prefix) ||
      text[prefix.size()] != '_') {
    return std::nullopt;
  }
  const std::string_view digits = text.substr(prefix.size() + 1);
  for (const char digit : digits) {
    if (!is_lower_hex(digit)) {
      return std::nullopt;
    }
  }
  uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value == 0 ? std::nullopt : std::optional(value);
}

template <class Id>
std::optional<Id> parse_as(std::string_view prefix, std::string_view text) {
  const std::optional<uint64_t> value = parse(prefix, text);
  return value.has_value() ? std::optional(Id{*value}) : std::nullopt;
}

constexpr std::string_view kTenant = "ten";
constexpr std::string_view kSubscription = "sub";
constexpr std::string_view kEndpoint = "ep";
constexpr std::string_view kDelivery = "dlv";
constexpr std::string_view kEvent = "evt";
constexpr std::string_view kKey = "key";

}  // namespace

std::string id_text(base::TenantId id) { return make(kTenant, id.value); }
std::string id_text(base::SubscriptionId id) { return make(kSubscription, id.value); }
std::string id_text(base::EndpointId id) { return make(kEndpoint, id.value); }
std::string id_text(base::DeliveryId id) { return make(kDelivery, id.value); }
std::string event_id_text(base::Sequence sequence) { return make(kEvent, sequence); }
std::string key_id_text(uint64_t id) { return make(kKey, id); }

std::optional<base::TenantId> parse_tenant_id(std::string_view text) {
  return parse_as<base::TenantId>(kTenant, text);
}
std::optional<base::SubscriptionId> parse_subscription_id(std::string_view text) {
  return parse_as<base::SubscriptionId>(kSubscription, text);
}
std::optional<base::EndpointId> parse_endpoint_id(std::string_view text) {
  return parse_as<base::EndpointId>(kEndpoint, text);
}
std::optional<base::DeliveryId> parse_delivery_id(std::string_view text) {
  return parse_as<base::DeliveryId>(kDelivery, text);
}
std::optional<base::Sequence> parse_event_id(std::string_view text) { return parse(kEvent, text); }
std::optional<uint64_t> parse_key_id(std::string_view text) { return parse(kKey, text); }

}  // namespace text
