// Which id a URL of a tenant has, and back. The id is a hash of tenant and URL, byte for byte, so
// that deleting a subscription and creating it again finds the same circuit; the URL is stored
// beside it, so that a hash that is taken leads to the next number and never to a foreign circuit.
//
// Nothing of it is in memory. An endpoint that has no subscription any more stays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "match/json.h"
#include "model/document.h"
#include "registry/documents.h"

namespace registry {

struct EndpointUrl {
  base::EndpointId id;
  std::string url;  // byte for byte as subscriptions have it
};

struct EndpointPage {
  std::vector<EndpointUrl> endpoints;
  bool complete = false;
};

class Endpoints {
 public:
  explicit Endpoints(Documents& documents) : documents_(documents) {}

  // kNotFound: this tenant has no such endpoint.
  void find(base::TenantId tenant, base::EndpointId id, Done<EndpointUrl> done);
  // In the order of ids.
  void list(base::TenantId tenant, base::EndpointId after, uint32_t limit, Done<EndpointPage> done);

  struct Place {
    base::EndpointId id;
    std::optional<model::DocumentChange> creation;  // to be committed with what needs it, if new
  };
  // The id of this URL, whether it has one yet or not.
  void place_of(base::TenantId tenant, const std::string& url, Done<Place> done);

  // Where to look first. Part of the storage format.
  static base::EndpointId first_id(base::TenantId tenant, std::string_view url);

 private:
  void try_place(base::TenantId tenant, const std::string& url, base::EndpointId id,
                 Done<Place> done);

  Documents& documents_;
  match::JsonParser parser_;
};

}  // namespace registry
