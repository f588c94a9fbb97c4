// What an input does to a subscription: fields are merged, secrets sealed.

#include <fmt/format.h>

#include <array>
#include <utility>

#include "net/url.h"
#include "registry/subscription_input.h"

namespace registry {
namespace {

using base::ErrorCode;
using base::Result;
using delivery::SignatureScheme;
using secrets::Purpose;
using secrets::SecretBytes;

constexpr size_t kHintCharacters = 4;

template <class T>
void merge(const Field<T>& field, T& target, const T& otherwise) {
  if (field.is_named) {
    target = field.value.value_or(otherwise);
  }
}

template <class T>
void merge(const Field<T>& field, std::optional<T>& target) {
  if (field.is_named) {
    target = field.value;
  }
}

// "whsec_…wxyz". A secret has at least 24 random bytes: four characters of it give nothing away.
std::string hint_of(std::string_view secret) {
  const size_t prefix = secret.find('_') + 1;
  std::string_view end = secret;
  while (end.ends_with('=')) {
    end.remove_suffix(1);
  }
  return fmt::format("{}…{}", secret.substr(0, prefix), end.substr(end.size() - kHintCharacters));
}

std::string seal(const Sealing& sealing, const Subscription& subscription, Purpose purpose,
                 const SecretBytes& secret) {
  return sealing.key.seal({.record = subscription.secrets_record(), .purpose = purpose}, secret);
}

// Puts a secret in front of the others.
Result<bool> add_secret(const SecretBytes& secret, const Sealing& sealing,
                        Subscription& subscription) {
  Signing& signing = subscription.signing;
  signing.public_key.clear();
  if (signing.scheme == SignatureScheme::kEd25519) {
    TRY(signing.public_key, delivery::public_key_of(secret.text()));
  }
  signing.secrets.insert(signing.secrets.begin(),
                         {.sealed = seal(sealing, subscription, Purpose::kSigningSecret, secret),
                          .hint = hint_of(secret.text()),
                          .expires_at = {}});
  return true;
}

Result<SecretBytes> change_signing(const SubscriptionInput& input, const Sealing& sealing,
                                   Subscription& subscription) {
  Signing& signing = subscription.signing;
  if (!input.signing.is_named && !signing.secrets.empty()) {
    return SecretBytes();
  }
  if (!input.signing.is_named && !signing.scheme) {
    return SecretBytes();
  }
  const SigningInput otherwise{.scheme = SignatureScheme::kHmac, .secret = {}};
  const SigningInput& wanted = input.signing.value ? *input.signing.value : otherwise;
  const bool keeps_its_own = wanted.secret.empty() && wanted.scheme == signing.scheme;
  if (keeps_its_own && (!signing.scheme || !signing.secrets.empty())) {
    return SecretBytes();
  }
  signing = Signing{.scheme = wanted.scheme, .secrets = {}, .public_key = {}};
  if (!wanted.scheme) {
    return SecretBytes();
  }
  SecretBytes secret = wanted.secret.empty() ? delivery::generate_signing_secret(*wanted.scheme)
                                             : SecretBytes::copy_of(wanted.secret.bytes());
  TRY([[maybe_unused]] const bool is_added, add_secret(secret, sealing, subscription));
  return secret;
}

Result<bool> change_certificate(const SubscriptionInput& input, const Sealing& sealing,
                                Subscription& subscription) {
  if (!input.client_certificate.is_named) {
    return true;
  }
  subscription.certificate.reset();
  if (!input.client_certificate.value) {
    return true;
  }
  const CertificateInput& wanted = *input.client_certificate.value;
  const auto identity = net::TlsIdentity::make(
      sealing.roots,
      {.certificate_pem = wanted.certificate, .key_pem = std::string(wanted.key.text())});
  if (!identity.has_value()) {
    return base::fail(ErrorCode::kInvalid, "client_certificate: " + identity.error().detail);
  }
  subscription.certificate = {
      .certificate = wanted.certificate,
      .sealed_key = seal(sealing, subscription, Purpose::kClientKey, wanted.key)};
  return true;
}

// Each value is bound to its header: it opens under no other name.
void change_headers(const SubscriptionInput& input, const Sealing& sealing,
                    Subscription& subscription) {
  if (!input.headers.is_named) {
    return;
  }
  subscription.headers.clear();
  if (!input.headers.value) {
    return;
  }
  for (const SecretHeader& header : *input.headers.value) {
    const std::string record = subscription.header_record(header.name);
    subscription.headers.push_back(
        {.name = header.name,
         .sealed =
             sealing.key.seal({.record = record, .purpose = Purpose::kHeaderValue}, header.value)});
  }
}

void change_token(const SubscriptionInput& input, const Sealing& sealing,
                  Subscription& subscription) {
  if (input.bearer_token.is_named) {
    subscription.sealed_token =
        input.bearer_token.value
            ? seal(sealing, subscription, Purpose::kBearerToken, *input.bearer_token.value)
            : "";
  }
}

Result<bool> check_authorization(const Subscription& subscription) {
  if (subscription.sealed_token.empty()) {
    return true;
  }
  for (const SealedHeader& header : subscription.headers) {
    std::string name = header.name;
    for (char& c : name) {
      c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    if (name == "authorization") {
      return base::fail(ErrorCode::kInvalid,
                        "bearer_token: there is a header Authorization as well; keep one of them");
    }
  }
  return true;
}

void change_settings(const SubscriptionInput& input, model::SubscriptionSettings& settings) {
  merge(input.ordered, settings.ordered, false);
  merge(input.rate_limit, settings.rate_limit);
  merge(input.in_flight_max, settings.in_flight_max);
  merge(input.deadline, settings.deadline);
  merge(input.retry, settings.retry);
}

}  // namespace

Result<SecretBytes> apply_input(const SubscriptionInput& input, const Sealing& sealing,
                                Subscription& subscription) {
  merge(input.url, subscription.url, {});
  if (subscription.url.empty()) {
    return base::fail(ErrorCode::kInvalid,
                      "url: say where events are to be sent, for example "
                      "\"https://example.com/webhooks\"");
  }
  merge(input.type, subscription.type, std::string(match::kEveryType));
  merge(input.object_code, subscription.object_code, {});
  merge(input.object_id, subscription.object_id, {});
  merge(input.filters, subscription.filters, {});
  merge(input.filter_connector, subscription.filter_connector, std::string("AND"));
  merge(input.description, subscription.description, {});
  change_settings(input, subscription.settings);
  change_headers(input, sealing, subscription);
  change_token(input, sealing, subscription);
  TRY([[maybe_unused]] const bool is_clear, check_authorization(subscription));
  TRY([[maybe_unused]] const bool is_usable, change_certificate(input, sealing, subscription));
  return change_signing(input, sealing, subscription);
}

Result<SecretBytes> rotate_secret(const RotationInput& input, const Sealing& sealing,
                                  Subscription& subscription) {
  Signing& signing = subscription.signing;
  if (!signing.scheme) {
    return base::fail(ErrorCode::kConflict,
                      "deliveries of this subscription are not signed; set signing.scheme first");
  }
  SecretBytes secret = input.secret.empty() ? delivery::generate_signing_secret(*signing.scheme)
                                            : SecretBytes::copy_of(input.secret.bytes());
  const bool is_hmac = *signing.scheme == SignatureScheme::kHmac;
  if (!secret.text().starts_with(is_hmac ? "whsec_" : "whsk_")) {
    return base::fail(ErrorCode::kInvalid,
                      is_hmac ? "secret: must begin with whsec_ for the scheme v1"
                              : "secret: must begin with whsk_ for the scheme v1a");
  }
  const base::Instant end = sealing.now + input.overlap;
  for (SigningSecret& old : signing.secrets) {
    old.expires_at = old.expires_at.is_set() ? std::min(old.expires_at, end) : end;
  }
  std::erase_if(signing.secrets,
                [&](const SigningSecret& old) { return old.expires_at <= sealing.now; });
  TRY([[maybe_unused]] const bool is_added, add_secret(secret, sealing, subscription));
  if (signing.secrets.size() > delivery::Signer::kSecretsMax) {
    signing.secrets.resize(delivery::Signer::kSecretsMax);
  }
  return secret;
}

Result<bool> check_url(const std::string& url, const net::AddressGuard& guard) {
  const auto parsed = net::parse_url(url);
  if (!parsed.has_value()) {
    return base::fail(ErrorCode::kInvalid, "url: " + parsed.error().detail);
  }
  std::optional<net::Refusal> refusal = guard.judge_port(parsed->port);
  if (!refusal) {
    refusal = parsed->literal ? guard.judge(*parsed->literal) : guard.judge_name(parsed->host);
  }
  if (refusal) {
    return base::fail(
        ErrorCode::kInvalid,
        fmt::format("url: deliveries to it are refused, because the target is {}; the operator "
                    "can allow it by delivery.allow_addresses",
                    net::to_words(*refusal)));
  }
  return true;
}

}  // namespace registry
