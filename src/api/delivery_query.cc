#include "api/delivery_query.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "api/parameters.h"
#include "base/nearest_name.h"
#include "base/result.h"
#include "match/quote.h"
#include "match/type_pattern.h"
#include "text/id_text.h"

namespace api {
namespace {

using store::DeliveryState;

constexpr std::array<std::string_view, 8> kParameters = {
    "state", "subscription", "endpoint", "type", "from", "until", "limit", "cursor"};

constexpr uint32_t kLimitMax = 100;
constexpr uint32_t kLimit = 20;

struct StateWord {
  std::string_view word;
  DeliveryState state;
  bool is_of_the_core = false;
};
constexpr std::array kStates = {
    StateWord{"unfinished", DeliveryState::kUnfinished},
    StateWord{"waiting", DeliveryState::kUnfinished, true},
    StateWord{"held", DeliveryState::kUnfinished, true},
    StateWord{"in_flight", DeliveryState::kUnfinished, true},
    StateWord{"delivered", DeliveryState::kDelivered},
    StateWord{"dropped", DeliveryState::kDropped},
    StateWord{"cancelled", DeliveryState::kCancelled},
};

Problem unknown_state(std::string_view word) {
  std::array<std::string_view, kStates.size()> words;
  std::ranges::transform(kStates, words.begin(), &StateWord::word);
  const std::string_view nearest = base::nearest_name(word, words);
  return invalid("state", fmt::format("there is no state {}", match::quote(word)),
                 nearest.empty() ? "the states are unfinished (waiting, held, in_flight), "
                                   "delivered, dropped and cancelled"
                                 : fmt::format("did you mean \"{}\"?", nearest));
}

std::expected<bool, Problem> read_state(const Parameters& parameters, DeliveryListing& listing) {
  const std::optional<std::string_view> word = parameters.find("state");
  if (!word) {
    return true;
  }
  const auto* const state = std::ranges::find(kStates, *word, &StateWord::word);
  if (state == kStates.end()) {
    return std::unexpected(unknown_state(*word));
  }
  listing.query.filter.state = state->state;
  listing.only_state = state->is_of_the_core ? state->word : std::string_view();
  return true;
}

std::expected<bool, Problem> read_type(const Parameters& parameters,
                                       store::DeliveryFilter& filter) {
  const std::optional<std::string_view> text = parameters.find("type");
  if (!text) {
    return true;
  }
  base::Result<std::string> pattern = match::parse_type_pattern(*text);
  if (!pattern.has_value()) {
    return std::unexpected(invalid("type", std::move(pattern.error().detail)));
  }
  filter.wants_type = [pattern = *std::move(pattern)](std::string_view type) {
    return match::type_matches(pattern, type);
  };
  return true;
}

std::expected<bool, Problem> read_times(const Parameters& parameters,
                                        store::DeliveryFilter& filter) {
  TRY(const std::optional<base::Instant> from, parameters.time("from"));
  TRY(const std::optional<base::Instant> until, parameters.time("until"));
  filter.from = from.value_or(filter.from);
  filter.until = until.value_or(filter.until);
  if (filter.from >= filter.until) {
    return std::unexpected(invalid("until", "it is not later than \"from\""));
  }
  return true;
}

}  // namespace

std::expected<DeliveryListing, Problem> read_delivery_listing(const http::Request& request,
                                                              base::TenantId tenant) {
  TRY(const Parameters parameters, Parameters::parse(request, kParameters));
  DeliveryListing listing;
  store::DeliveryFilter& filter = listing.query.filter;
  filter.tenant = tenant;
  TRY([[maybe_unused]] const bool has_state, read_state(parameters, listing));
  TRY([[maybe_unused]] const bool has_type, read_type(parameters, filter));
  TRY([[maybe_unused]] const bool has_times, read_times(parameters, filter));
  TRY(filter.subscription, parameters.id("subscription", &text::parse_subscription_id, "sub_..."));
  TRY(filter.endpoint, parameters.id("endpoint", &text::parse_endpoint_id, "ep_..."));
  TRY(listing.query.before, parameters.id("cursor", &text::parse_delivery_id, "dlv_..."));
  TRY(listing.query.limit, parameters.limit(kLimit, kLimitMax));
  return listing;
}

}  // namespace api
