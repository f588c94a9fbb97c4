// What a person may say about a subscription, as JSON:
//
//   {"url": "https://...", "type": "order.*", "object_code": "TASK", "object_id": "42",
//    "filters": [...], "filter_connector": "AND", "description": "...",
//    "signing": {"scheme": "v1", "secret": "whsec_..."}, "bearer_token": "...",
//    "headers": {"X-Name": "..."}, "client_certificate": {"certificate": "PEM", "key": "PEM"},
//    "ordered": true, "rate_limit": {"count": 10, "period": "1s"}, "in_flight_max": 2,
//    "deadline": "5s", "retry": {"anchor": "queued", "unit": "60s", "max_retries": 5,
//    "delays": ["1s", "1m"], "jitter_percent": 10, "horizon": "2d"}}
//
// Read once, field by field; a field that is not named says nothing, null asks for the default. An
// unknown field is an error with the nearest known name. Texts of errors never quote a secret.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "delivery/signature.h"
#include "match/json.h"
#include "model/subscription.h"
#include "net/address_guard.h"
#include "net/tls_identity.h"
#include "registry/subscription.h"
#include "registry/target.h"
#include "secrets/envelope.h"
#include "secrets/secret_bytes.h"

namespace registry {

template <class T>
struct Field {
  bool is_named = false;
  std::optional<T> value;  // nothing: the default
};

struct SigningInput {
  std::optional<delivery::SignatureScheme> scheme;  // nothing: unsigned
  secrets::SecretBytes secret;                      // empty: to be made
};

struct CertificateInput {
  std::string certificate;
  secrets::SecretBytes key;
};

struct SubscriptionInput {
  Field<std::string> url;
  Field<std::string> type;
  Field<std::string> object_code;
  Field<std::string> object_id;
  Field<std::string> filters;  // JSON
  Field<std::string> filter_connector;
  Field<std::string> description;
  Field<SigningInput> signing;
  Field<secrets::SecretBytes> bearer_token;
  Field<std::vector<SecretHeader>> headers;
  Field<CertificateInput> client_certificate;
  Field<bool> ordered;
  Field<model::RateLimit> rate_limit;
  Field<uint32_t> in_flight_max;
  Field<base::Duration> deadline;
  Field<model::RetryPolicy> retry;
};

// kInvalid, naming the field, unless every field is right by itself.
base::Result<SubscriptionInput> read_subscription_input(match::JsonValue body);

// {"overlap": "24h", "secret": "whsec_..."}, both optional.
struct RotationInput {
  base::Duration overlap = base::Duration::hours(24);
  secrets::SecretBytes secret;
};
base::Result<RotationInput> read_rotation_input(match::JsonValue body);

// What a change of a subscription needs besides its input.
struct Sealing {
  const secrets::TenantKey& key;  // of its tenant
  const net::TlsRoots& roots;
  base::Instant now;
};

// Changes the subscription as the input says. Returns the signing secret that it has from now on,
// to be shown once; empty if it keeps the one it had. The URL's endpoint is the caller's to find.
base::Result<secrets::SecretBytes> apply_input(const SubscriptionInput& input,
                                               const Sealing& sealing, Subscription& subscription);
// The same for a new signing secret, with the ones before it going on for a while. Returns the new
// one.
base::Result<secrets::SecretBytes> rotate_secret(const RotationInput& input, const Sealing& sealing,
                                                 Subscription& subscription);

// What the URL itself shows: its form, its port, and its host if that is an address.
base::Result<bool> check_url(const std::string& url, const net::AddressGuard& guard);

}  // namespace registry
