// What became of all deliveries ever created, from two sides: those that ended as the store has
// counted them, those that did not as the core counts them for each endpoint. Neither is made from
// the other, so that a delivery which is stored and which the core does not know shows as a
// difference. Counts are all it compares: `postrider audit` looks at the records themselves.
#pragma once

#include "api/backend.h"
#include "core/delivery_core.h"
#include "store/standing.h"

namespace api {

struct Account {
  store::Totals totals;
  core::Unfinished unfinished;

  bool is_conserved() const { return totals.unfinished() == unfinished.sum(); }
};

// Exact at any time, also while much is on its way.
Account take_account(const Backend& backend);

}  // namespace api
