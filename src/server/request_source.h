// Where an attempt's request comes from: the target from the registry, the content from what came
// in lately or from the store.
#pragma once

#include <memory>

#include "base/ids.h"
#include "delivery/http_transport.h"
#include "delivery/recent_events.h"
#include "model/event.h"
#include "registry/registry.h"
#include "store/store.h"

namespace server {

class RequestSource {
 public:
  // All of them outlive the source, which outlives what was asked of it.
  RequestSource(registry::Registry& registry, store::Store& store,
                const delivery::RecentEvents& recent)
      : registry_(registry), store_(store), recent_(recent) {}

  void prepare(const delivery::AttemptRequest& request, delivery::PrepareDone done);

 private:
  using Target = std::shared_ptr<const registry::Target>;

  void target_found(const model::Delivery& delivery, const Target& target,
                    const delivery::PrepareDone& done);

  registry::Registry& registry_;
  store::Store& store_;
  const delivery::RecentEvents& recent_;
};

// The id that receivers know an event by: the producer's, or else made from its sequence.
std::string webhook_id_of(const model::Event& event, base::Sequence sequence);

}  // namespace server
