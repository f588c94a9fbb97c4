// Reading the tables: what the loads of the seam and the recovery of a new owner find.
#pragma once

#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/document.h"
#include "model/event.h"
#include "model/section.h"
#include "store/codec.h"
#include "store/database.h"
#include "store/store.h"

namespace store {

// What is read. The caller sees to it that nothing changes meanwhile, or does not mind.
struct View {
  const Database& database;
};

base::Result<model::DuePage> read_due(const View& view, const model::DueQuery& query);
base::Result<model::ExpiryPage> read_expired(const View& view, const model::ExpiryQuery& query);
base::Result<std::optional<FoundDelivery>> read_delivery(const View& view,
                                                         base::DeliveryId delivery);
base::Result<std::optional<model::Event>> read_event(const View& view, base::Sequence sequence);
base::Result<model::DocumentPage> read_documents(const View& view,
                                                 const model::DocumentQuery& query);

base::Result<std::optional<Standing>> read_standing(const View& view);

// Events that are gone although their records may still be there; in order. See sweep.h.
base::Result<std::vector<SequenceRange>> read_removed(const View& view);

// The delivery as it waits, if it has a record.
base::Result<std::optional<model::Delivery>> read_waiting(const View& view,
                                                          const model::Delivery& queued);

// The last that is known of a delivery; nothing if it was never attempted and did not end.
base::Result<std::optional<OutcomeRecord>> read_last_outcome(const View& view,
                                                             base::DeliveryId delivery);

}  // namespace store
