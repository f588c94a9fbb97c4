// A subscription as it is stored: everything that its owner chose, with the secrets sealed. Few are
// in memory at a time: matching keeps what it needs in its own index.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "delivery/signature.h"
#include "match/json.h"
#include "match/subscription.h"
#include "model/document.h"
#include "model/subscription.h"
#include "text/json_writer.h"

namespace registry {

struct SigningSecret {
  std::string sealed;
  std::string hint;          // "whsec_…wxyz": tells secrets apart, and nothing else
  base::Instant expires_at;  // not set: the current one, which is the first
};

struct Signing {
  std::optional<delivery::SignatureScheme> scheme = delivery::SignatureScheme::kHmac;
  std::vector<SigningSecret> secrets;  // the current one first
  std::string public_key;              // "whpk_...", of the current one, if the scheme has one
};

struct SealedHeader {
  std::string name;
  std::string sealed;
};

struct StoredCertificate {
  std::string certificate;  // PEM; no secret
  std::string sealed_key;
};

struct Subscription {
  base::TenantId tenant;
  base::SubscriptionId id;
  base::EndpointId endpoint;
  std::string url;
  std::string type{match::kEveryType};
  std::string object_code;
  std::string object_id;
  std::string filters;  // JSON; empty: none
  std::string filter_connector = "AND";
  std::string description;
  Signing signing;
  std::string sealed_token;  // empty: none
  std::vector<SealedHeader> headers;
  std::optional<StoredCertificate> certificate;
  model::SubscriptionSettings settings;
  base::Instant created_at;
  base::Instant updated_at;
  // How long after queueing a delivery of it may be unfinished, by the longest of all schedules it
  // ever had.
  base::Duration kept_for;
  uint64_t revision = 0;  // of its document

  // What is sealed for it is bound to these names.
  std::string secrets_record() const;
  std::string header_record(std::string_view header) const;
};

// The document's value, and back.
std::string encode_subscription(const Subscription& subscription);
base::Result<Subscription> decode_subscription(match::JsonParser& parser,
                                               const model::Document& document);

base::Result<match::Filter> filter_of(match::JsonParser& parser, const Subscription& subscription);
// What matching keeps of it.
base::Result<match::Subscription> wanted_by(match::JsonParser& parser,
                                            const Subscription& subscription);

// What the start needs of a document, without the rest: there may be a million of them.
struct LoadedSubscription {
  match::Subscription wanted;
  model::SubscriptionSettings settings;
  uint64_t likeness = 0;
};
base::Result<LoadedSubscription> load_subscription(match::JsonParser& parser,
                                                   const model::Document& document);

// Whether it differs from the defaults in something that the core must know.
bool is_special(const model::SubscriptionSettings& settings);

// The same for subscriptions that would get the same events at the same URL; never 0.
uint64_t likeness_of(const Subscription& subscription);
bool is_alike(const Subscription& left, const Subscription& right);

// The members of its JSON object, with everything that may be shown; secrets are masked. A signing
// secret that was just made is shown once.
void write_subscription(text::JsonWriter& writer, const Subscription& subscription,
                        std::string_view new_secret = {});

}  // namespace registry
