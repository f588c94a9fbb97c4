// Ids as people and programs outside see them: a word for the kind of thing, then 16 hexadecimal
// digits. "sub_00c3a1f2e4b59d10" is never taken for an endpoint, here or in a log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace text {

std::string id_text(base::TenantId id);        // "ten_..."
std::string id_text(base::SubscriptionId id);  // "sub_..."
std::string id_text(base::EndpointId id);      // "ep_..."
std::string id_text(base::DeliveryId id);      // "dlv_..."
// The id of an event that its producer did not name.
std::string event_id_text(base::Sequence sequence);  // "evt_..."
std::string key_id_text(uint64_t id);                // "key_..."

// Nothing unless the text is exactly what id_text() makes of a set id.
std::optional<base::TenantId> parse_tenant_id(std::string_view text);
std::optional<base::SubscriptionId> parse_subscription_id(std::string_view text);
std::optional<base::EndpointId> parse_endpoint_id(std::string_view text);
std::optional<base::DeliveryId> parse_delivery_id(std::string_view text);
std::optional<base::Sequence> parse_event_id(std::string_view text);
std::optional<uint64_t> parse_key_id(std::string_view text);

}  // namespace text
