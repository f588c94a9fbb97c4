#include "registry/target.h"

namespace registry {

void Target::put_into(delivery::PreparedRequest& request) const {
  request.url = url;
  request.signer = signer;
  request.bearer_token = bearer_token.text();
  request.headers.reserve(headers.size());
  for (const SecretHeader& header : headers) {
    request.headers.push_back({.name = header.name, .value = std::string(header.value.text())});
  }
  // Credentials go with each request, so that an endpoint's subscriptions may share connections;
  // a client certificate is kept apart by the pool itself.
  request.pool_owner = endpoint.value;
  request.tls = tls;
}

}  // namespace registry
