#include "api/backend.h"

#include "base/hash.h"

namespace api {

base::EventId Backend::next_event_id() {
  const uint64_t id = base::mix(event_id_seed + ++events_named);
  return {id == 0 ? 1 : id};
}

}  // namespace api
