// Seam: sends an attempt to a receiver. Implementations: the simulator's scripted receivers; the
// HTTP client (http_transport.h).
#pragma once

#include <cstdint>
#include <functional>

#include "base/time.h"
#include "model/delivery.h"
#include "model/outcome.h"

namespace delivery {

// Never 0. The low bits count, so that ids that are in use at a time are mostly close together.
enum class AttemptId : uint64_t {};

struct AttemptRequest {
  AttemptId id{};
  model::Delivery delivery;
  uint32_t number = 1;
  model::Lane lane = model::Lane::kFresh;
  bool is_probe = false;
  base::Duration deadline;  // over everything, from name lookup to the last header
};

class Transport {
 public:
  virtual ~Transport() = default;

  // `done` runs once, on the caller's scheduler and never inside the call, not much later than the
  // deadline; unless the attempt is abandoned before: then it does not run.
  virtual void send(const AttemptRequest& request, std::function<void(model::Outcome)> done) = 0;
  virtual void abandon(AttemptId attempt) = 0;
};

}  // namespace delivery
