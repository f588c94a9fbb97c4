#include "registry/target.h"

namespace registry {

void Target::put_into(delivery::PreparedRequest& request) const {
  request.url = url;
  request.signer = signer;
  if (!bearer_token.text().empty()) {
    request.headers.add("Authorization", "Bearer " + std::string(bearer_token.text()));
  }
  for (const SecretHeader& header : headers) {
    request.headers.add(header.name, header.value.text());
  }
  // Credentials go with each request, so that an endpoint's subscriptions may share connections;
  // a client certificate is kept apart by the pool itself.
  request.pool_owner = endpoint.value;
  request.tls = tls;
}

}  // namespace registry
