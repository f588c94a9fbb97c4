#include "registry/targets.h"

#include <algorithm>
#include <string_view>

#include "text/id_text.h"

namespace registry {
namespace {

using secrets::Purpose;
using secrets::SecretBytes;

base::Result<std::shared_ptr<const delivery::Signer>> open_signer(const Subscription& subscription,
                                                                  const secrets::TenantKey& key,
                                                                  base::Instant now,
                                                                  base::Instant& good_until) {
  std::vector<SecretBytes> opened;
  const std::string record = subscription.secrets_record();
  for (const SigningSecret& secret : subscription.signing.secrets) {
    if (secret.expires_at.is_set() && secret.expires_at <= now) {
      continue;
    }
    if (secret.expires_at.is_set()) {
      good_until = std::min(good_until, secret.expires_at);
    }
    TRY(SecretBytes bytes,
        key.open({.record = record, .purpose = Purpose::kSigningSecret}, secret.sealed));
    opened.push_back(std::move(bytes));
  }
  std::vector<std::string_view> texts;
  texts.reserve(opened.size());
  for (const SecretBytes& secret : opened) {
    texts.push_back(secret.text());
  }
  TRY(delivery::Signer signer, delivery::Signer::make(texts));
  return std::make_shared<const delivery::Signer>(std::move(signer));
}

base::Result<std::shared_ptr<const net::TlsIdentity>> open_identity(
    const Subscription& subscription, const secrets::TenantKey& key, const net::TlsRoots& roots) {
  const std::string record = subscription.secrets_record();
  TRY(const SecretBytes client_key, key.open({.record = record, .purpose = Purpose::kClientKey},
                                             subscription.certificate->sealed_key));
  return net::TlsIdentity::make(roots, {.certificate_pem = subscription.certificate->certificate,
                                        .key_pem = std::string(client_key.text())});
}

}  // namespace

base::Result<std::shared_ptr<Target>> make_target(const Subscription& subscription,
                                                  const secrets::TenantKey& key,
                                                  const net::TlsRoots& roots, base::Instant now) {
  auto target = std::make_shared<Target>();
  target->subscription = subscription.id;
  target->endpoint = subscription.endpoint;
  target->description = subscription.description;
  if (subscription.signing.scheme) {
    TRY(target->signer, open_signer(subscription, key, now, target->good_until));
  }
  if (!subscription.sealed_token.empty()) {
    const std::string record = subscription.secrets_record();
    TRY(target->bearer_token,
        key.open({.record = record, .purpose = Purpose::kBearerToken}, subscription.sealed_token));
  }
  for (const SealedHeader& header : subscription.headers) {
    const std::string record = subscription.header_record(header.name);
    TRY(SecretBytes value,
        key.open({.record = record, .purpose = Purpose::kHeaderValue}, header.sealed));
    target->headers.push_back({.name = header.name, .value = std::move(value)});
  }
  if (subscription.certificate) {
    TRY(target->tls, open_identity(subscription, key, roots));
  }
  return target;
}

void Targets::find(const model::Delivery& delivery, Found done) {
  const Key key{delivery.subscription, delivery.endpoint};
  if (std::shared_ptr<const Target> found = kept(key)) {
    done(std::move(found));
    return;
  }
  const auto [load, is_first] = loads_.try_emplace(key);
  load->second.waiting.push_back(std::move(done));
  if (is_first) {
    load->second.tenant = delivery.tenant;
    begin(key);
  }
}

std::shared_ptr<const Target> Targets::kept(Key key) {
  const auto found = kept_.find(key.first.value);
  if (found == kept_.end()) {
    return nullptr;
  }
  for (const std::shared_ptr<const Target>& target : found->second.targets) {
    if (target->endpoint == key.second && parts_.documents.now() < target->good_until) {
      by_use_.splice(by_use_.end(), by_use_, found->second.place);
      return target;
    }
  }
  return nullptr;
}

void Targets::keep(const std::shared_ptr<const Target>& target) {
  const uint64_t id = target->subscription.value;
  const auto [found, is_new] = kept_.try_emplace(id);
  if (is_new) {
    found->second.place = by_use_.insert(by_use_.end(), id);
  }
  std::erase_if(found->second.targets, [&](const std::shared_ptr<const Target>& it) {
    return it->endpoint == target->endpoint;
  });
  found->second.targets.push_back(target);
  if (kept_.size() > kept_max_) {
    kept_.erase(by_use_.front());
    by_use_.pop_front();
  }
}

void Targets::begin(Key key) {
  Load& load = loads_.at(key);
  load.is_outdated = false;
  parts_.documents.find(
      {.table = model::Table::kSubscriptions,
       .tenant = load.tenant,
       .key = text::id_text(key.first)},
      [this, key](const std::optional<model::Document>& document) {
        if (!document) {
          finish(key, base::fail(base::ErrorCode::kNotFound, "the subscription is gone"));
          return;
        }
        auto subscription = decode_subscription(parser_, *document);
        if (!subscription.has_value()) {
          finish(key, std::unexpected(std::move(subscription.error())));
          return;
        }
        subscription_loaded(key, *subscription);
      });
}

void Targets::subscription_loaded(Key key, const Subscription& subscription) {
  if (subscription.endpoint == key.second) {
    make(key, subscription, subscription.url);
    return;
  }
  // Its URL has changed since the delivery was queued.
  parts_.endpoints.find(
      subscription.tenant, key.second,
      [this, key, subscription](base::Result<EndpointUrl> endpoint) {
        if (!endpoint.has_value()) {
          // The subscription is there; that its endpoint is not is damage, and no reason to cancel.
          finish(key, base::fail(base::ErrorCode::kCorrupt, std::move(endpoint.error().detail)));
          return;
        }
        make(key, subscription, endpoint->url);
      });
}

void Targets::make(Key key, const Subscription& subscription, std::string_view url) {
  const auto opened = [&]() -> base::Result<std::shared_ptr<const Target>> {
    TRY(const secrets::TenantKey tenant_key, parts_.tenants.open_key(subscription.tenant));
    TRY(std::shared_ptr<Target> target,
        make_target(subscription, tenant_key, *parts_.roots, parts_.documents.now()));
    TRY(target->url, net::parse_url(url));
    target->endpoint = key.second;
    return target;
  }();
  finish(key, opened);
}

void Targets::finish(Key key, const base::Result<std::shared_ptr<const Target>>& result) {
  const auto load = loads_.find(key);
  if (load->second.is_outdated) {
    begin(key);
    return;
  }
  const std::vector<Found> waiting = std::move(load->second.waiting);
  loads_.erase(load);
  if (result.has_value()) {
    keep(*result);
  } else if (result.error().code == base::ErrorCode::kNotFound) {
    parts_.missing(key.first);
  }
  for (const Found& done : waiting) {
    done(result);
  }
}

void Targets::forget(base::SubscriptionId subscription) {
  const auto found = kept_.find(subscription.value);
  if (found != kept_.end()) {
    by_use_.erase(found->second.place);
    kept_.erase(found);
  }
  for (auto load = loads_.lower_bound({subscription, {}});
       load != loads_.end() && load->first.first == subscription; ++load) {
    load->second.is_outdated = true;
  }
}

}  // namespace registry
