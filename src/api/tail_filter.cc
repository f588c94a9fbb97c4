#include "api/tail_filter.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "api/parameters.h"
#include "base/nearest_name.h"
#include "base/result.h"
#include "match/quote.h"
#include "text/bounded.h"
#include "text/id_text.h"

namespace api {
namespace {

constexpr std::array<std::string_view, 3> kParameters = {"endpoint", "subscription", "show"};

std::array<std::string_view, kTailKinds.size()> kind_names() {
  std::array<std::string_view, kTailKinds.size()> names;
  std::ranges::transform(kTailKinds, names.begin(), [](TailKind kind) { return name_of(kind); });
  return names;
}

Problem unknown_kind(std::string_view word) {
  const auto names = kind_names();
  const std::string_view nearest = base::nearest_name(word, names);
  return invalid("show", fmt::format("there is no message {}", match::quote(word)),
                 nearest.empty() ? fmt::format("the messages are {}", fmt::join(names, ", "))
                                 : fmt::format("did you mean \"{}\"?", nearest));
}

std::expected<bool, Problem> read_kinds(const Parameters& parameters, TailFilter& filter) {
  const std::optional<std::string_view> list = parameters.find("show");
  if (!list) {
    return true;
  }
  filter.kinds.reset();
  for (const std::string_view word : text::split_list(*list)) {
    const auto* const kind =
        std::ranges::find(kTailKinds, word, [](TailKind candidate) { return name_of(candidate); });
    if (kind == kTailKinds.end()) {
      return std::unexpected(unknown_kind(word));
    }
    filter.kinds.set(static_cast<size_t>(*kind));
  }
  return true;
}

}  // namespace

bool TailFilter::wants(const model::DeliveryOwner& owner) const {
  return (!endpoint || owner.endpoint == *endpoint) &&
         (!subscription || owner.subscription == *subscription);
}

bool TailFilter::wants(const std::vector<model::Delivery>& deliveries) const {
  const bool wants_all = !endpoint && !subscription;
  return wants_all || std::ranges::any_of(deliveries, [this](const model::Delivery& delivery) {
           return wants(owner_of(delivery));
         });
}

bool TailFilter::wants_circuit_of(base::EndpointId id) const {
  return (!endpoint || id == *endpoint) && (!subscription || id == subscription_endpoint);
}

std::expected<TailFilter, Problem> read_tail_filter(const http::Request& request) {
  TRY(const Parameters parameters, Parameters::parse(request, kParameters));
  TailFilter filter;
  TRY([[maybe_unused]] const bool has_kinds, read_kinds(parameters, filter));
  TRY(filter.endpoint, parameters.id("endpoint", &text::parse_endpoint_id, "ep_..."));
  TRY(filter.subscription, parameters.id("subscription", &text::parse_subscription_id, "sub_..."));
  return filter;
}

}  // namespace api
