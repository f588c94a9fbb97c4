// How records and deliveries are called when a person is told about them.
#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "store/keys.h"

namespace store {

// "delivery 17.0": the first of the fan-out of event 17.
std::string delivery_words(base::DeliveryId delivery);

// "table outcomes, key 00000000001100000000000001".
std::string record_words(Family family, std::string_view key);

}  // namespace store
