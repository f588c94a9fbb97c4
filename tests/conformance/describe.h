// Everything a store answers, as text: two answers are equal if and only if their texts are, and
// where they differ a person can see it.
//
// Of a delivery that has ended the contract fixes only what never changed; `describe` leaves the
// rest out, as it leaves out what a repeated publish says of deliveries that have moved on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/section.h"
#include "store/store.h"

namespace conformance {

std::string describe(const model::Delivery& delivery);
std::string describe(const std::vector<model::Delivery>& deliveries);
std::string describe(const model::Attempt& attempt);
std::string describe(const model::EndpointRecord& record);
std::string describe(const model::Event& event);
std::string describe(const std::optional<model::Event>& event);
std::string describe(const std::optional<store::FoundDelivery>& found);
std::string describe(const model::DuePage& page);
std::string describe(const model::ExpiryPage& page);
std::string describe(const model::DocumentPage& page);
std::string describe(const store::BatchResult& result);
std::string describe(const model::ShardSnapshot& snapshot);

}  // namespace conformance
