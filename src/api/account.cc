#include "api/account.h"

namespace api {

// The core knows of what it has been told. What nobody has to be told of, such as that retention
// has removed something, shows in the newest totals alone.
Account take_account(const Backend& backend) {
  const store::Totals told = backend.store.told();
  const store::Totals newest = backend.engine.standing().totals;
  return {.totals = newest.unfinished() == told.unfinished() ? newest : told,
          .unfinished = backend.dispatcher.core().unfinished()};
}

}  // namespace api
