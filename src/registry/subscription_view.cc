// A subscription as people see it: everything they chose, and of secrets only that they are there.

#include "registry/subscription.h"
#include "registry/words.h"
#include "text/id_text.h"
#include "text/json_writer.h"
#include "text/quantity.h"
#include "text/time_text.h"

namespace registry {
namespace {

constexpr std::string_view kMasked = "…";

// null if there is none.
void write_optional(text::JsonWriter& writer, std::string_view name, std::string_view value) {
  writer.key(name);
  if (value.empty()) {
    writer.null();
  } else {
    writer.value(value);
  }
}

void write_signing(text::JsonWriter& writer, const Signing& signing, std::string_view new_secret) {
  writer.key("signing").begin_object().field("scheme", word_of(signing.scheme));
  if (!new_secret.empty()) {
    writer.field("secret", new_secret);
  }
  if (!signing.public_key.empty()) {
    writer.field("public_key", signing.public_key);
  }
  writer.key("secrets").begin_array();
  for (const SigningSecret& secret : signing.secrets) {
    writer.begin_object().field("hint", secret.hint);
    write_optional(writer, "expires_at",
                   secret.expires_at.is_set() ? text::time_text(secret.expires_at) : "");
    writer.end_object();
  }
  writer.end_array().end_object();
}

void write_credentials(text::JsonWriter& writer, const Subscription& subscription) {
  write_optional(writer, "bearer_token", subscription.sealed_token.empty() ? "" : kMasked);
  writer.key("headers").begin_object();
  for (const SealedHeader& header : subscription.headers) {
    writer.field(header.name, kMasked);
  }
  writer.end_object().key("client_certificate");
  if (subscription.certificate) {
    writer.begin_object().field("certificate", subscription.certificate->certificate).end_object();
  } else {
    writer.null();
  }
}

void write_retry(text::JsonWriter& writer, const model::RetryPolicy& policy) {
  writer.begin_object().field("anchor", word_of(policy.anchor));
  writer.field("unit", text::duration_text(policy.unit));
  if (policy.max_retries != model::RetryPolicy::kRetriesOfAnchor) {
    writer.field("max_retries", policy.max_retries);
  }
  if (!policy.delays.empty()) {
    writer.key("delays").begin_array();
    for (const base::Duration delay : policy.delays) {
      writer.value(text::duration_text(delay));
    }
    writer.end_array();
  }
  writer.field("jitter_percent", policy.jitter_percent);
  writer.field("horizon", text::duration_text(policy.horizon)).end_object();
}

void write_settings(text::JsonWriter& writer, const model::SubscriptionSettings& settings) {
  writer.field("ordered", settings.ordered).key("rate_limit");
  if (settings.rate_limit) {
    writer.begin_object().field("count", settings.rate_limit->count);
    writer.field("period", text::duration_text(settings.rate_limit->period)).end_object();
  } else {
    writer.null();
  }
  writer.field("in_flight_max", settings.in_flight_max);
  write_optional(writer, "deadline",
                 settings.deadline ? text::duration_text(*settings.deadline) : "");
  writer.key("retry");
  if (settings.retry) {
    write_retry(writer, *settings.retry);
  } else {
    writer.null();
  }
}

}  // namespace

void write_subscription(text::JsonWriter& writer, const Subscription& subscription,
                        std::string_view new_secret) {
  writer.field("id", text::id_text(subscription.id));
  writer.field("endpoint", text::id_text(subscription.endpoint));
  writer.field("url", subscription.url);
  writer.field("type", subscription.type == match::kEveryType ? "*" : subscription.type);
  write_optional(writer, "object_code", subscription.object_code);
  write_optional(writer, "object_id", subscription.object_id);
  writer.key("filters").raw(subscription.filters.empty() ? "[]" : subscription.filters);
  writer.field("filter_connector", subscription.filter_connector);
  writer.field("description", subscription.description);
  write_signing(writer, subscription.signing, new_secret);
  write_credentials(writer, subscription);
  write_settings(writer, subscription.settings);
  writer.field("created_at", text::time_text(subscription.created_at));
  writer.field("updated_at", text::time_text(subscription.updated_at));
  writer.field("revision", subscription.revision);
}

}  // namespace registry
