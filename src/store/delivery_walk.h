// One page of a list of deliveries: walks back from the newest event, in the order of commits,
// within a budget of records and time.
//
// All scans are made at one moment, when nothing is written (see readers.h): the walk shows that
// moment while commits go on. The index of minutes tells where a time begins. If only what ended at
// one endpoint is asked for, its hourly counts tell when that happened last: nothing that was
// queued later needs to be looked at.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "store/database.h"
#include "store/queries.h"
#include "store/standing.h"

namespace store {

class DeliveryWalk {
 public:
  using Clock = std::function<base::Instant()>;

  // Nothing may be written while it is made. `newest`: those counts of the endpoint asked for that
  // are in no row yet.
  DeliveryWalk(const Database& database, DeliveryQuery query, WaitingCounts newest);

  // Once. Looks at one delivery at least, whatever the budget says.
  base::Result<DeliveryPage> read(const Clock& clock);

 private:
  enum class Step : uint8_t { kGoOn, kStop };

  base::Result<bool> read_removed();
  base::Result<bool> narrow_by_counts();
  base::Result<base::Sequence> sequence_at(base::Instant from);
  base::Result<base::Sequence> sequence_after(base::Instant until);
  base::Result<Step> look_at_event();
  base::Result<Step> look_at_deliveries(const EventHead& head);
  base::Result<bool> look_at(const model::Delivery& queued);
  base::Result<std::optional<OutcomeRecord>> last_outcome(ListedDelivery& listed);
  void place_outcomes(base::DeliveryId delivery);
  bool is_wanted(const model::Delivery& delivery) const;
  bool is_wanted(std::optional<model::EndState> end) const;
  bool is_spent() const;

  DeliveryQuery query_;
  WaitingCounts newest_;
  Scan events_;
  Scan outcomes_;
  Scan waiting_;
  Scan meta_;
  Scan rollups_;

  std::vector<SequenceRange> removed_;
  base::DeliveryId below_;  // everything from here on was looked at
  uint32_t records_ = 0;    // read so far
  const Clock* clock_ = nullptr;
  base::Instant deadline_;
  DeliveryPage page_;
};

}  // namespace store
