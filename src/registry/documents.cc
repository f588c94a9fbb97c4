#include "registry/documents.h"

#include <utility>

namespace registry {
namespace {

// A few megabytes at a time, and few enough turns that a million take seconds.
constexpr uint32_t kPageLimit = 1000;
constexpr base::Duration kAskAgainAfter = base::Duration::seconds(1);

base::Error unavailable() {
  return {base::ErrorCode::kUnavailable,
          "the change could not be stored and nothing has changed; try again later"};
}

base::Error conflict() {
  return {base::ErrorCode::kConflict, "somebody else has changed it at the same time; try again"};
}

std::string just_before(std::string key) {
  --key.back();
  key.push_back('\xff');
  return key;
}

}  // namespace

Documents::Documents(base::Scheduler& scheduler, store::Store& store)
    : scheduler_(scheduler), store_(store), alive_(std::make_shared<bool>(true)) {}

Documents::~Documents() { *alive_ = false; }

void Documents::later(base::Duration delay, std::function<void()> task) {
  scheduler_.call_at(scheduler_.now() + delay, [alive = alive_, task = std::move(task)] {
    if (*alive) {
      task();
    }
  });
}

void Documents::find(const DocumentPlace& place,
                     std::function<void(std::optional<model::Document>)> done) {
  page({.table = place.table, .tenant = place.tenant, .after = just_before(place.key), .limit = 1},
       [key = place.key, done = std::move(done)](model::DocumentPage found) {
         if (found.documents.empty() || found.documents.front().key != key) {
           done(std::nullopt);
           return;
         }
         done(std::move(found.documents.front()));
       });
}

void Documents::page(const model::DocumentQuery& query,
                     std::function<void(model::DocumentPage)> done) {
  store_.load_documents(query, [alive = alive_, done = std::move(done)](model::DocumentPage found) {
    if (*alive) {
      done(std::move(found));
    }
  });
}

void Documents::each(model::Table table, Visit visit, Done<void> done) {
  each_from({.table = table, .tenant = {}, .after = {}, .limit = kPageLimit, .every_tenant = true},
            std::move(visit), std::move(done));
}

void Documents::each_from(const model::DocumentQuery& query, Visit visit, Done<void> done) {
  page(query, [this, query, visit = std::move(visit),
               done = std::move(done)](const model::DocumentPage& found) {
    for (const model::Document& document : found.documents) {
      auto visited = visit(document);
      if (!visited.has_value()) {
        done(std::move(visited));
        return;
      }
    }
    if (found.complete || found.documents.empty()) {
      done({});
      return;
    }
    model::DocumentQuery next = query;
    next.tenant = found.documents.back().tenant;
    next.after = found.documents.back().key;
    each_from(next, visit, done);
  });
}

void Documents::commit(std::vector<model::DocumentChange> changes, Done<void> done) {
  submit({.changes = std::move(changes), .done = std::move(done)});
}

void Documents::submit(Pending pending) {
  store::Batch batch;
  batch.documents = pending.changes;
  store_.commit(scheduler_.now(), std::move(batch),
                [this, alive = alive_,
                 pending = std::move(pending)](const store::BatchResult& result) mutable {
                  if (*alive) {
                    decided(pending, result.documents);
                  }
                });
}

void Documents::decided(Pending& pending, store::Status status) {
  switch (status) {
    case store::Status::kCommitted:
      pending.done({});
      return;
    case store::Status::kConflict:
      if (pending.may_be_stored) {
        look_again(std::move(pending));
        return;
      }
      pending.done(std::unexpected(conflict()));
      return;
    case store::Status::kFailed:
    case store::Status::kFenced:
      if (!pending.may_be_stored) {
        pending.done(std::unexpected(unavailable()));
        return;
      }
      break;
    case store::Status::kUnknown:
      pending.may_be_stored = true;
      break;
  }
  later(kAskAgainAfter,
        [this, pending = std::move(pending)]() mutable { submit(std::move(pending)); });
}

void Documents::look_again(Pending pending) {
  const model::DocumentChange& first = pending.changes.front();
  const DocumentPlace place{.table = first.table, .tenant = first.tenant, .key = first.key};
  find(place, [pending = std::move(pending)](const std::optional<model::Document>& found) {
    const std::optional<std::string>& wanted = pending.changes.front().value;
    const bool is_ours =
        found.has_value() == wanted.has_value() && (!wanted.has_value() || *wanted == found->value);
    pending.done(is_ours ? base::Result<void>() : std::unexpected(conflict()));
  });
}

}  // namespace registry
