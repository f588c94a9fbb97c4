// The store's documents as the registry uses them: found one by one, read as a whole table at the
// start, changed in lists that take effect whole.
//
// Its keys are plain text, so that nothing sorts between a key and the one made up just before it,
// and a single document is a page of one. What comes back after the registry is gone is dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/scheduler.h"
#include "model/document.h"
#include "store/store.h"

namespace registry {

template <class T>
using Done = std::function<void(base::Result<T>)>;

struct DocumentPlace {
  model::Table table = model::Table::kTenants;
  base::TenantId tenant;
  std::string key;
};

class Documents {
 public:
  using Visit = std::function<base::Result<void>(const model::Document&)>;

  Documents(base::Scheduler& scheduler, store::Store& store);
  ~Documents();

  Documents(const Documents&) = delete;
  Documents& operator=(const Documents&) = delete;

  void find(const DocumentPlace& place, std::function<void(std::optional<model::Document>)> done);
  void page(const model::DocumentQuery& query, std::function<void(model::DocumentPage)> done);
  // Every document of the table, tenant after tenant. Stops at the first error, which names it.
  void each(model::Table table, Visit visit, Done<void> done);

  // kConflict: a document does not have the revision that was expected. kUnavailable: nothing is
  // stored. An unclear end is asked about until it is clear: so each change names its revision, and
  // the first one tells by its bytes whether the list is stored.
  void commit(std::vector<model::DocumentChange> changes, Done<void> done);

  // Runs the task unless the registry is gone by then.
  void later(base::Duration delay, std::function<void()> task);
  base::Instant now() const { return scheduler_.now(); }

 private:
  struct Pending {
    std::vector<model::DocumentChange> changes;
    Done<void> done;
    bool may_be_stored = false;  // an earlier submission ended without a clear answer
  };

  void each_from(const model::DocumentQuery& query, Visit visit, Done<void> done);
  void submit(Pending pending);
  void decided(Pending& pending, store::Status status);
  // A conflict after an unclear end: are the changes what is there?
  void look_again(Pending pending);

  base::Scheduler& scheduler_;
  store::Store& store_;
  std::shared_ptr<bool> alive_;
};

}  // namespace registry
