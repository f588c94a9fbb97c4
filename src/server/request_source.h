// Where an attempt's request comes from: the target from the registry, the content from what came
// in lately or from the store.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/ids.h"
#include "delivery/http_transport.h"
#include "delivery/recent_events.h"
#include "model/event.h"
#include "registry/registry.h"
#include "store/store.h"

namespace server {

class RequestSource {
 public:
  // All of them outlive the source, which outlives what was asked of it. `span_seed` is another one
  // in every process.
  RequestSource(registry::Registry& registry, store::Store& store,
                const delivery::RecentEvents& recent, uint64_t span_seed)
      : registry_(registry), store_(store), recent_(recent), span_seed_(span_seed) {}

  void prepare(const delivery::AttemptRequest& request, delivery::PrepareDone done);

 private:
  using Target = std::shared_ptr<const registry::Target>;

  // What of an attempt its request depends on.
  struct Wanted {
    model::Delivery delivery;
    uint64_t span;  // the attempt's, if its event belongs to a trace
  };

  void target_found(const Wanted& wanted, const Target& target, const delivery::PrepareDone& done);
  static delivery::PreparedRequest make_request(const Wanted& wanted,
                                                const registry::Target& target,
                                                const std::shared_ptr<const model::Event>& event);

  registry::Registry& registry_;
  store::Store& store_;
  const delivery::RecentEvents& recent_;
  uint64_t span_seed_;
};

// The id that receivers know an event by: the producer's, or else made from its sequence.
std::string webhook_id_of(const model::Event& event, base::Sequence sequence);

}  // namespace server
