// The words by which documents and people name signature schemes and retry anchors.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "delivery/signature.h"
#include "model/retry_policy.h"

namespace registry {

// "v1", "v1a", or "none" for deliveries that are not signed.
using Scheme = std::optional<delivery::SignatureScheme>;
std::string_view word_of(Scheme scheme);
base::Result<Scheme> scheme_of(std::string_view word);

// "queued" or "previous_attempt".
std::string_view word_of(model::RetryAnchor anchor);
base::Result<model::RetryAnchor> anchor_of(std::string_view word);

}  // namespace registry
