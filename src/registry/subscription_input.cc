#include "registry/subscription_input.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "core/retry_schedule.h"
#include "match/json_place.h"
#include "match/type_pattern.h"
#include "net/header_rules.h"
#include "net/url.h"
#include "registry/input_fields.h"
#include "registry/record_json.h"
#include "registry/words.h"

namespace registry {
namespace {

using base::ErrorCode;
using base::Result;
using match::JsonKind;
using match::JsonPlace;
using secrets::SecretBytes;

constexpr size_t kObjectBytesMax = 256;
constexpr size_t kDescriptionBytesMax = 1000;
constexpr size_t kTokenBytesMax = 4096;
constexpr size_t kCertificateBytesMax = 32'768;

Result<bool> as_bool(Result<void> result) {
  if (!result.has_value()) {
    return std::unexpected(std::move(result.error()));
  }
  return true;
}

// One reader per kind of field. Each is handed a value that is neither missing nor null.

Result<std::string> read_url(const JsonPlace& at) {
  TRY(const std::string_view text, read_string(at, net::kUrlSizeMax));
  TRY([[maybe_unused]] const net::Url url, named(at, net::parse_url(text)));
  return std::string(text);
}

Result<std::string> read_type(const JsonPlace& at) {
  TRY(const std::string_view text, read_string(at, match::kTypeBytesMax));
  return named(at, match::parse_type_pattern(text));
}

Result<std::string> read_object_word(const JsonPlace& at) {
  TRY(const std::string_view text, read_string(at, kObjectBytesMax));
  return std::string(text);
}

Result<std::string> read_description(const JsonPlace& at) {
  TRY(const std::string_view text, read_string(at, kDescriptionBytesMax));
  return std::string(text);
}

Result<std::string> read_filters(const JsonPlace& at) {
  if (at.kind() != JsonKind::kArray) {
    return wrong(at, "must be a list");
  }
  std::string text;
  if (at.value().size() > 0) {
    text::JsonWriter writer(text);
    copy_json(writer, at.value());
  }
  return text;
}

Result<std::string> read_connector(const JsonPlace& at) {
  TRY(const std::string_view text, read_string(at, kObjectBytesMax));
  if (text != "AND" && text != "OR") {
    return wrong(at, "must be \"AND\" or \"OR\"");
  }
  return std::string(text);
}

Result<SecretBytes> read_secret(const JsonPlace& at) {
  TRY(const std::string_view text, read_string(at, kTokenBytesMax));
  const std::array<std::string_view, 1> secrets = {text};
  TRY([[maybe_unused]] const delivery::Signer signer, named(at, delivery::Signer::make(secrets)));
  return SecretBytes::copy_of(text);
}

Result<SigningInput> read_signing(const JsonPlace& at) {
  constexpr std::array<std::string_view, 2> kFields = {"scheme", "secret"};
  TRY([[maybe_unused]] const bool is_known, check_fields(at, kFields));
  SigningInput input{.scheme = delivery::SignatureScheme::kHmac, .secret = {}};
  const JsonPlace scheme = at.find("scheme");
  if (!scheme.value().is_missing_or_null()) {
    TRY(const std::string_view word, read_string(scheme, kObjectBytesMax));
    TRY(input.scheme, named(scheme, scheme_of(word)));
  }
  const JsonPlace secret = at.find("secret");
  if (secret.value().is_missing_or_null()) {
    return input;
  }
  if (!input.scheme) {
    return wrong(secret, "deliveries that are not signed need no secret; leave it out");
  }
  TRY(input.secret, read_secret(secret));
  const bool is_hmac = *input.scheme == delivery::SignatureScheme::kHmac;
  if (!input.secret.text().starts_with(is_hmac ? "whsec_" : "whsk_")) {
    return wrong(secret, is_hmac ? "must begin with whsec_ for the scheme v1"
                                 : "must begin with whsk_ for the scheme v1a");
  }
  return input;
}

Result<SecretBytes> read_token(const JsonPlace& at) {
  TRY(const std::string_view text, read_string(at, kTokenBytesMax));
  if (text.empty() || !net::is_header_value(text) || text.find_first_of(" \t") != text.npos) {
    return wrong(at, "must be visible ASCII characters without blanks");
  }
  return SecretBytes::copy_of(text);
}

Result<std::vector<SecretHeader>> read_headers(const JsonPlace& at) {
  if (at.kind() != JsonKind::kObject) {
    return wrong(at, "must be an object of names and values");
  }
  if (at.value().size() > net::kCustomHeadersMax) {
    return wrong(at, fmt::format("at most {} headers are possible", net::kCustomHeadersMax));
  }
  std::vector<SecretHeader> headers;
  std::vector<net::Header> names;
  for (const match::JsonMember member : at.value().members()) {
    const JsonPlace place = at.at(member);
    TRY(const std::string_view value, read_string(place, net::kCustomHeaderSizeMax));
    TRY([[maybe_unused]] const bool is_fine,
        named(place, as_bool(net::check_custom_header(member.key, value))));
    names.push_back({.name = std::string(member.key), .value = "x"});
    headers.push_back({.name = std::string(member.key), .value = SecretBytes::copy_of(value)});
  }
  TRY([[maybe_unused]] const bool are_fine, named(at, as_bool(net::check_custom_headers(names))));
  return headers;
}

Result<CertificateInput> read_certificate(const JsonPlace& at) {
  constexpr std::array<std::string_view, 2> kFields = {"certificate", "key"};
  TRY([[maybe_unused]] const bool is_known, check_fields(at, kFields));
  TRY(const std::string_view certificate,
      read_string(at.find("certificate"), kCertificateBytesMax));
  TRY(const std::string_view key, read_string(at.find("key"), kCertificateBytesMax));
  return CertificateInput{.certificate = std::string(certificate),
                          .key = SecretBytes::copy_of(key)};
}

Result<bool> read_truth(const JsonPlace& at) {
  if (at.kind() != JsonKind::kBool) {
    return wrong(at, "must be true or false");
  }
  return at.value().as_bool();
}

Result<model::RateLimit> read_rate_limit(const JsonPlace& at) {
  constexpr std::array<std::string_view, 2> kFields = {"count", "period"};
  TRY([[maybe_unused]] const bool is_known, check_fields(at, kFields));
  model::RateLimit limit;
  TRY(const int64_t count,
      read_integer(at.find("count"), {.min = 1, .max = model::RateLimit::kCountMax}));
  limit.count = static_cast<uint32_t>(count);
  const JsonPlace period = at.find("period");
  if (!period.value().is_missing_or_null()) {
    TRY(limit.period,
        read_duration(period, {.min = base::Duration::ms(1), .max = base::Duration::hours(24)}));
  }
  return limit;
}

Result<uint32_t> read_in_flight_max(const JsonPlace& at) {
  TRY(const int64_t number, read_integer(at, {.min = 1, .max = 10'000}));
  return static_cast<uint32_t>(number);
}

Result<base::Duration> read_deadline(const JsonPlace& at) {
  return read_duration(at, {.min = base::Duration::ms(100), .max = base::Duration::minutes(5)});
}

constexpr DurationRange kDelays{.min = base::Duration::ms(1),
                                .max = base::Duration::hours(24 * 366)};

Result<std::vector<base::Duration>> read_delays(const JsonPlace& at) {
  if (at.kind() != JsonKind::kArray || at.value().size() > model::RetryPolicy::kRetriesMax) {
    return wrong(
        at, fmt::format("must be a list of at most {} durations", model::RetryPolicy::kRetriesMax));
  }
  std::vector<base::Duration> delays;
  for (const match::JsonValue element : at.value().elements()) {
    TRY(const base::Duration delay, read_duration(at.at(delays.size(), element), kDelays));
    delays.push_back(delay);
  }
  return delays;
}

Result<model::RetryPolicy> read_retry_fields(const JsonPlace& at) {
  model::RetryPolicy policy;
  const auto is_named = [&](std::string_view name) {
    return !at.find(name).value().is_missing_or_null();
  };
  if (is_named("anchor")) {
    const JsonPlace anchor = at.find("anchor");
    TRY(const std::string_view word, read_string(anchor, kObjectBytesMax));
    TRY(policy.anchor, named(anchor, anchor_of(word)));
  }
  if (is_named("unit")) {
    TRY(policy.unit, read_duration(at.find("unit"), kDelays));
  }
  if (is_named("max_retries")) {
    TRY(const int64_t retries,
        read_integer(at.find("max_retries"), {.min = 0, .max = model::RetryPolicy::kRetriesMax}));
    policy.max_retries = static_cast<int>(retries);
  }
  if (is_named("delays")) {
    TRY(policy.delays, read_delays(at.find("delays")));
  }
  if (is_named("jitter_percent")) {
    TRY(const int64_t percent, read_integer(at.find("jitter_percent"), {.min = 0, .max = 100}));
    policy.jitter_percent = static_cast<int>(percent);
  }
  if (is_named("horizon")) {
    TRY(policy.horizon, read_duration(at.find("horizon"), kDelays));
  }
  return policy;
}

Result<model::RetryPolicy> read_retry(const JsonPlace& at) {
  constexpr std::array<std::string_view, 6> kFields = {"anchor", "unit",           "max_retries",
                                                       "delays", "jitter_percent", "horizon"};
  TRY([[maybe_unused]] const bool is_known, check_fields(at, kFields));
  TRY(model::RetryPolicy policy, read_retry_fields(at));
  TRY([[maybe_unused]] const core::RetrySchedule schedule, core::RetrySchedule::make(policy));
  return policy;
}

struct Row {
  std::string_view name;
  Result<bool> (*read)(const JsonPlace&, SubscriptionInput&);
};

template <auto field, auto reader>
constexpr Row row(std::string_view name) {
  return {.name = name, .read = [](const JsonPlace& at, SubscriptionInput& input) -> Result<bool> {
            auto& target = input.*field;
            target.is_named = true;
            if (at.kind() != JsonKind::kNull) {
              TRY(target.value, reader(at));
            }
            return true;
          }};
}

using Input = SubscriptionInput;
constexpr std::array kRows = {
    row<&Input::url, read_url>("url"),
    row<&Input::type, read_type>("type"),
    row<&Input::object_code, read_object_word>("object_code"),
    row<&Input::object_id, read_object_word>("object_id"),
    row<&Input::filters, read_filters>("filters"),
    row<&Input::filter_connector, read_connector>("filter_connector"),
    row<&Input::description, read_description>("description"),
    row<&Input::signing, read_signing>("signing"),
    row<&Input::bearer_token, read_token>("bearer_token"),
    row<&Input::headers, read_headers>("headers"),
    row<&Input::client_certificate, read_certificate>("client_certificate"),
    row<&Input::ordered, read_truth>("ordered"),
    row<&Input::rate_limit, read_rate_limit>("rate_limit"),
    row<&Input::in_flight_max, read_in_flight_max>("in_flight_max"),
    row<&Input::deadline, read_deadline>("deadline"),
    row<&Input::retry, read_retry>("retry"),
};

constexpr std::array<std::string_view, kRows.size()> kNames = [] {
  std::array<std::string_view, kRows.size()> names;
  for (size_t i = 0; i < kRows.size(); ++i) {
    names[i] = kRows[i].name;
  }
  return names;
}();

}  // namespace

Result<SubscriptionInput> read_subscription_input(match::JsonValue body) {
  const JsonPlace root(body, "");
  TRY([[maybe_unused]] const bool is_known, check_fields(root, kNames));
  SubscriptionInput input;
  for (const Row& row : kRows) {
    const JsonPlace at = root.find(row.name);
    if (at.kind() != JsonKind::kMissing) {
      TRY([[maybe_unused]] const bool is_read, row.read(at, input));
    }
  }
  return input;
}

Result<RotationInput> read_rotation_input(match::JsonValue body) {
  constexpr std::array<std::string_view, 2> kFields = {"overlap", "secret"};
  RotationInput input;
  if (body.is_missing_or_null()) {
    return input;
  }
  const JsonPlace root(body, "");
  TRY([[maybe_unused]] const bool is_known, check_fields(root, kFields));
  const JsonPlace overlap = root.find("overlap");
  if (!overlap.value().is_missing_or_null()) {
    TRY(input.overlap,
        read_duration(overlap, {.min = base::Duration(), .max = base::Duration::hours(24 * 30)}));
  }
  const JsonPlace secret = root.find("secret");
  if (!secret.value().is_missing_or_null()) {
    TRY(input.secret, read_secret(secret));
  }
  return input;
}

}  // namespace registry
