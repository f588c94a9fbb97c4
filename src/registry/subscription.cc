// The document of a subscription, and what others need of it.

#include "registry/subscription.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/hash.h"
#include "registry/record_json.h"
#include "registry/words.h"
#include "text/id_text.h"

namespace registry {

bool is_special(const model::SubscriptionSettings& settings) {
  return settings.has_own_queue() || settings.deadline.has_value() || settings.retry.has_value();
}

std::string Subscription::secrets_record() const { return text::id_text(id); }

std::string Subscription::header_record(std::string_view header) const {
  return fmt::format("{}/{}", secrets_record(), header);
}

namespace {

void write_signing(text::JsonWriter& writer, const Signing& signing) {
  writer.key("signing").begin_object().field("scheme", word_of(signing.scheme));
  writer.key("secrets").begin_array();
  for (const SigningSecret& secret : signing.secrets) {
    writer.begin_object();
    write_bytes(writer, "sealed", secret.sealed);
    write_text(writer, "hint", secret.hint);
    write_instant(writer, "expires_at", secret.expires_at);
    writer.end_object();
  }
  writer.end_array();
  write_text(writer, "public_key", signing.public_key);
  writer.end_object();
}

void write_retry(text::JsonWriter& writer, const model::RetryPolicy& policy) {
  writer.key("retry").begin_object().field("anchor", word_of(policy.anchor));
  writer.field("unit", policy.unit.count_ms()).field("max_retries", policy.max_retries);
  writer.key("delays").begin_array();
  for (const base::Duration delay : policy.delays) {
    writer.value(delay.count_ms());
  }
  writer.end_array();
  writer.field("jitter_percent", policy.jitter_percent);
  writer.field("horizon", policy.horizon.count_ms()).end_object();
}

void write_settings(text::JsonWriter& writer, const model::SubscriptionSettings& settings) {
  if (settings.ordered) {
    writer.field("ordered", true);
  }
  if (settings.rate_limit) {
    writer.key("rate_limit").begin_object().field("count", settings.rate_limit->count);
    writer.field("period", settings.rate_limit->period.count_ms()).end_object();
  }
  if (settings.in_flight_max) {
    writer.field("in_flight_max", *settings.in_flight_max);
  }
  if (settings.deadline) {
    writer.field("deadline", settings.deadline->count_ms());
  }
  if (settings.retry) {
    write_retry(writer, *settings.retry);
  }
}

void write_credentials(text::JsonWriter& writer, const Subscription& subscription) {
  write_signing(writer, subscription.signing);
  write_bytes(writer, "bearer_token", subscription.sealed_token);
  if (!subscription.headers.empty()) {
    writer.key("headers").begin_array();
    for (const SealedHeader& header : subscription.headers) {
      writer.begin_object().field("name", header.name);
      write_bytes(writer, "sealed", header.sealed);
      writer.end_object();
    }
    writer.end_array();
  }
  if (subscription.certificate) {
    writer.key("client_certificate").begin_object();
    writer.field("certificate", subscription.certificate->certificate);
    write_bytes(writer, "key", subscription.certificate->sealed_key);
    writer.end_object();
  }
}

Signing read_signing(RecordReader& record) {
  Signing signing;
  RecordReader part(record.find("signing"));
  const auto scheme = scheme_of(part.text("scheme"));
  if (!scheme.has_value()) {
    record.refuse();
    return signing;
  }
  signing.scheme = *scheme;
  for (const match::JsonValue value : part.find("secrets").elements()) {
    RecordReader secret(value);
    signing.secrets.push_back({.sealed = secret.bytes("sealed"),
                               .hint = secret.text("hint"),
                               .expires_at = secret.instant("expires_at")});
    record.include(secret);
  }
  signing.public_key = part.text("public_key");
  record.include(part);
  return signing;
}

model::RetryPolicy read_retry(RecordReader& record) {
  RecordReader part(record.find("retry"));
  model::RetryPolicy policy;
  const auto anchor = anchor_of(part.text("anchor"));
  if (!anchor.has_value()) {
    record.refuse();
    return policy;
  }
  policy.anchor = *anchor;
  policy.unit = part.duration("unit");
  policy.max_retries = static_cast<int>(part.number("max_retries"));
  for (const match::JsonValue delay : part.find("delays").elements()) {
    if (delay.kind() != match::JsonKind::kInteger) {
      record.refuse();
      return policy;
    }
    policy.delays.push_back(base::Duration::ms(delay.as_integer()));
  }
  policy.jitter_percent = static_cast<int>(part.number("jitter_percent"));
  policy.horizon = part.duration("horizon");
  record.include(part);
  return policy;
}

model::SubscriptionSettings read_settings(RecordReader& record, base::SubscriptionId id) {
  model::SubscriptionSettings settings{.id = id};
  settings.ordered = record.truth("ordered");
  if (record.has("rate_limit")) {
    RecordReader part(record.find("rate_limit"));
    settings.rate_limit = {.count = static_cast<uint32_t>(part.number("count")),
                           .period = part.duration("period")};
    record.include(part);
  }
  if (record.has("in_flight_max")) {
    settings.in_flight_max = static_cast<uint32_t>(record.number("in_flight_max"));
  }
  if (record.has("deadline")) {
    settings.deadline = record.duration("deadline");
  }
  if (record.has("retry")) {
    settings.retry = read_retry(record);
  }
  return settings;
}

void read_credentials(RecordReader& record, Subscription& subscription) {
  subscription.signing = read_signing(record);
  subscription.sealed_token = record.bytes("bearer_token");
  for (const match::JsonValue value : record.find("headers").elements()) {
    RecordReader header(value);
    subscription.headers.push_back({.name = header.text("name"), .sealed = header.bytes("sealed")});
    record.include(header);
  }
  if (record.has("client_certificate")) {
    RecordReader part(record.find("client_certificate"));
    subscription.certificate = {.certificate = part.text("certificate"),
                                .sealed_key = part.bytes("key")};
    record.include(part);
  }
}

// All that decides which events it gets, and where.
uint64_t likeness_of(base::TenantId tenant, const std::array<std::string_view, 6>& parts) {
  uint64_t hash = base::mix(tenant.value);
  for (const std::string_view part : parts) {
    hash = base::mix(hash, base::hash_bytes(part));
  }
  return hash == 0 ? 1 : hash;
}

}  // namespace

std::string encode_subscription(const Subscription& subscription) {
  std::string value;
  text::JsonWriter writer(value);
  writer.begin_object().field("v", kRecordVersion);
  writer.field("endpoint", text::id_text(subscription.endpoint)).field("url", subscription.url);
  writer.field("type", subscription.type);
  write_text(writer, "object_code", subscription.object_code);
  write_text(writer, "object_id", subscription.object_id);
  if (!subscription.filters.empty()) {
    writer.key("filters").raw(subscription.filters);
  }
  writer.field("filter_connector", subscription.filter_connector);
  write_text(writer, "description", subscription.description);
  write_credentials(writer, subscription);
  write_settings(writer, subscription.settings);
  write_instant(writer, "created_at", subscription.created_at);
  write_instant(writer, "updated_at", subscription.updated_at);
  write_number(writer, "kept_for", subscription.kept_for.count_ms());
  writer.end_object();
  return value;
}

base::Result<Subscription> decode_subscription(match::JsonParser& parser,
                                               const model::Document& document) {
  TRY(RecordReader record, open_record(parser, document));
  const auto id = text::parse_subscription_id(document.key);
  const auto endpoint = text::parse_endpoint_id(record.text("endpoint"));
  if (!id || !endpoint) {
    return corrupt_record(document);
  }
  Subscription subscription{.tenant = document.tenant,
                            .id = *id,
                            .endpoint = *endpoint,
                            .url = record.text("url"),
                            .type = record.text("type"),
                            .object_code = record.text("object_code"),
                            .object_id = record.text("object_id"),
                            .filters = {},
                            .filter_connector = record.text("filter_connector"),
                            .description = record.text("description"),
                            .settings = read_settings(record, *id),
                            .created_at = record.instant("created_at"),
                            .updated_at = record.instant("updated_at"),
                            .kept_for = record.duration("kept_for"),
                            .revision = document.revision};
  if (record.has("filters")) {
    text::JsonWriter filters(subscription.filters);
    copy_json(filters, record.find("filters"));
  }
  read_credentials(record, subscription);
  if (!record.is_sound()) {
    return corrupt_record(document);
  }
  return subscription;
}

base::Result<match::Filter> filter_of(match::JsonParser& parser, const Subscription& subscription) {
  if (subscription.filters.empty()) {
    return match::Filter();
  }
  std::string text;
  text::JsonWriter writer(text);
  writer.begin_object().key("filters").raw(subscription.filters);
  writer.field("filterConnector", subscription.filter_connector).end_object();
  return match::parse_filter(parser, text);
}

base::Result<match::Subscription> wanted_by(match::JsonParser& parser,
                                            const Subscription& subscription) {
  TRY(match::Filter filter, filter_of(parser, subscription));
  return match::Subscription{.tenant = subscription.tenant,
                             .id = subscription.id,
                             .endpoint = subscription.endpoint,
                             .url = subscription.url,
                             .type_pattern = subscription.type,
                             .object_code = subscription.object_code,
                             .object_id = subscription.object_id,
                             .filter = std::move(filter),
                             .ordered = subscription.settings.ordered,
                             .has_own_queue = subscription.settings.has_own_queue()};
}

base::Result<LoadedSubscription> load_subscription(match::JsonParser& parser,
                                                   const model::Document& document) {
  TRY(RecordReader record, open_record(parser, document));
  const auto id = text::parse_subscription_id(document.key);
  const auto endpoint = text::parse_endpoint_id(record.text("endpoint"));
  if (!id || !endpoint) {
    return corrupt_record(document);
  }
  LoadedSubscription loaded;
  loaded.settings = read_settings(record, *id);
  loaded.wanted = {.tenant = document.tenant,
                   .id = *id,
                   .endpoint = *endpoint,
                   .url = record.text("url"),
                   .type_pattern = record.text("type"),
                   .object_code = record.text("object_code"),
                   .object_id = record.text("object_id"),
                   .filter = {},
                   .ordered = loaded.settings.ordered,
                   .has_own_queue = loaded.settings.has_own_queue()};
  std::string filters;
  if (record.has("filters")) {
    TRY(loaded.wanted.filter,
        match::parse_filter(record.find("filters"), record.find("filter_connector")));
    text::JsonWriter writer(filters);
    copy_json(writer, record.find("filters"));
  }
  loaded.likeness = likeness_of(
      document.tenant, {loaded.wanted.url, loaded.wanted.type_pattern, loaded.wanted.object_code,
                        loaded.wanted.object_id, filters, record.text("filter_connector")});
  if (!record.is_sound()) {
    return corrupt_record(document);
  }
  return loaded;
}

uint64_t likeness_of(const Subscription& subscription) {
  return likeness_of(subscription.tenant,
                     {subscription.url, subscription.type, subscription.object_code,
                      subscription.object_id, subscription.filters, subscription.filter_connector});
}

bool is_alike(const Subscription& left, const Subscription& right) {
  return left.tenant == right.tenant && left.url == right.url && left.type == right.type &&
         left.object_code == right.object_code && left.object_id == right.object_id &&
         left.filters == right.filters && left.filter_connector == right.filter_connector;
}

}  // namespace registry
