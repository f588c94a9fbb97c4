// Whose turn it is: fair over tenants, and within a tenant over its endpoints, in three classes
// that share the core's budget of attempts in flight.
//
// Of the whole budget the retry lane may have half, and first attempts to endpoints that fail may
// have half of the rest. So retries never delay first attempts, and no number of dead endpoints
// keeps the healthy ones from being served.
#pragma once

#include <array>
#include <cstdint>

#include "base/id_table.h"
#include "base/ids.h"
#include "core/endpoint.h"
#include "core/slab.h"

namespace core {

class Turns {
 public:
  Turns(Slab<Endpoint>& endpoints, uint32_t in_flight_max);

  // The tenant's place in the rings; counted, so that tenants without endpoints are forgotten.
  uint32_t join(base::TenantId tenant);
  void leave(uint32_t tenant);

  // Sets in which class the endpoint waits for a turn in this lane; kNone: it does not.
  void set(uint32_t endpoint, model::Lane lane, TurnClass turn_class);

  // The endpoint whose turn it is in this class, if there is one and the budget allows. The turn
  // then moves on to the next tenant and, within the tenant, to the next endpoint.
  uint32_t take_turn(TurnClass turn_class);

  void started(TurnClass turn_class);
  void ended(TurnClass turn_class);
  uint32_t in_flight() const { return in_flight_; }

 private:
  static constexpr size_t kClasses = 3;

  struct Ring {
    uint32_t head = kNoIndex;
  };

  struct Tenant {
    base::TenantId id;
    uint32_t members = 0;
    std::array<Ring, kClasses> endpoints;
    std::array<RingLink, kClasses> links;
  };

  bool has_room(TurnClass turn_class) const;
  void link_endpoint(uint32_t endpoint, model::Lane lane, TurnClass turn_class);
  void unlink_endpoint(uint32_t endpoint, model::Lane lane, TurnClass turn_class);

  Slab<Endpoint>& endpoints_;
  Slab<Tenant> tenants_;
  base::IdTable tenant_index_;
  std::array<Ring, kClasses> rings_;  // of tenants that have an endpoint waiting for a turn

  uint32_t in_flight_max_;
  uint32_t in_flight_ = 0;
  std::array<uint32_t, kClasses> in_flight_of_{};
};

}  // namespace core
