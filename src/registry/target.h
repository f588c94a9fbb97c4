// What an attempt needs to know of its subscription and endpoint: where to, signed by what, with
// which credentials. Made from documents, kept in memory for those in use, never written anywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "delivery/http_transport.h"
#include "delivery/signature.h"
#include "net/tls_identity.h"
#include "net/url.h"
#include "secrets/secret_bytes.h"

namespace registry {

struct SecretHeader {
  std::string name;
  secrets::SecretBytes value;
};

struct Target {
  base::SubscriptionId subscription;
  base::EndpointId endpoint;
  net::Url url;                                    // of the delivery's endpoint
  std::shared_ptr<const delivery::Signer> signer;  // null: not signed
  secrets::SecretBytes bearer_token;               // may be empty
  std::vector<SecretHeader> headers;
  std::shared_ptr<const net::TlsIdentity> tls;  // null: the client's own
  std::string description;                      // the subscriber's words, for logs; may be empty
  base::Instant good_until = base::Instant::never();  // then one of its secrets ends

  // Fills in all of the request that comes from here: URL, signer, credentials, headers, TLS and
  // the owner of connections. The body, its type, webhook-id and trace are the event's.
  void put_into(delivery::PreparedRequest& request) const;
};

}  // namespace registry
