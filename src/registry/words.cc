#include "registry/words.h"

namespace registry {

std::string_view word_of(Scheme scheme) {
  if (!scheme) {
    return "none";
  }
  return *scheme == delivery::SignatureScheme::kHmac ? "v1" : "v1a";
}

base::Result<Scheme> scheme_of(std::string_view word) {
  for (const Scheme scheme : {Scheme(delivery::SignatureScheme::kHmac),
                              Scheme(delivery::SignatureScheme::kEd25519), Scheme()}) {
    if (word_of(scheme) == word) {
      return scheme;
    }
  }
  return base::fail(base::ErrorCode::kInvalid, "must be \"v1\", \"v1a\" or \"none\"");
}

std::string_view word_of(model::RetryAnchor anchor) {
  return anchor == model::RetryAnchor::kQueued ? "queued" : "previous_attempt";
}

base::Result<model::RetryAnchor> anchor_of(std::string_view word) {
  for (const model::RetryAnchor anchor :
       {model::RetryAnchor::kQueued, model::RetryAnchor::kPreviousAttempt}) {
    if (word_of(anchor) == word) {
      return anchor;
    }
  }
  return base::fail(base::ErrorCode::kInvalid, "must be \"queued\" or \"previous_attempt\"");
}

}  // namespace registry
