#include "store/tables.h"

#include <string>
#include <utility>

namespace store {
namespace {

using base::DeliveryId;
using model::Delivery;

}  // namespace

base::Result<std::optional<Delivery>> read_waiting(const View& view, const Delivery& queued) {
  const std::string key = expiry_key(queued);
  TRY(const std::optional<std::string> record, view.database.get(Family::kExpiry, key));
  if (!record) {
    return std::optional<Delivery>();
  }
  TRY(Delivery waiting, decode_delivery(key, *record));
  return std::optional(waiting);
}

base::Result<std::vector<SequenceRange>> read_removed(const View& view) {
  TRY(const std::optional<std::string> record, view.database.get(Family::kMeta, kRemovingKey));
  if (!record) {
    return std::vector<SequenceRange>();
  }
  return decode_ranges(kRemovingKey, *record);
}

base::Result<model::DuePage> read_due(const View& view, const model::DueQuery& query) {
  const std::string prefix = due_prefix(query.endpoint, query.queue, query.range);
  const std::string until =
      query.until == base::Instant::never()
          ? after_prefix(prefix)
          : due_key(query.endpoint, query.queue, query.range, {.due = query.until, .delivery = {}});
  Scan scan(view.database, Family::kDue,
            due_key(query.endpoint, query.queue, query.range, query.from), until);
  model::DuePage page;
  for (; scan.is_valid() && page.deliveries.size() < query.limit; scan.next()) {
    TRY(Delivery delivery, decode_delivery(scan.key(), scan.value()));
    page.deliveries.push_back(delivery);
  }
  TRY([[maybe_unused]] const bool is_read, scan.status());
  page.complete = !scan.is_valid();
  return page;
}

base::Result<model::ExpiryPage> read_expired(const View& view, const model::ExpiryQuery& query) {
  const std::string prefix(1, static_cast<char>(query.shard));
  Scan scan(view.database, Family::kExpiry, expiry_key(query.shard, query.from),
            after_prefix(prefix));
  model::ExpiryPage page;
  for (; scan.is_valid(); scan.next()) {
    const std::optional<model::ExpiryKey> at = parse_expiry_key(scan.key());
    if (!at) {
      return base::fail(base::ErrorCode::kCorrupt, "a key of the expiry order is malformed");
    }
    if (at->last_slot > query.until || page.deliveries.size() == query.limit) {
      page.next = at->last_slot;
      break;
    }
    TRY(Delivery delivery, decode_delivery(scan.key(), scan.value()));
    page.deliveries.push_back(delivery);
  }
  TRY([[maybe_unused]] const bool is_read, scan.status());
  return page;
}

base::Result<std::optional<OutcomeRecord>> read_last_outcome(const View& view,
                                                             DeliveryId delivery) {
  Scan scan(view.database, Family::kOutcomes, outcome_key(delivery, 0),
            outcome_key({delivery.value + 1}, 0));
  std::optional<OutcomeRecord> last;
  for (; scan.is_valid(); scan.next()) {
    TRY(last, decode_outcome(scan.key(), scan.value()));
  }
  TRY([[maybe_unused]] const bool is_read, scan.status());
  return last;
}

base::Result<std::optional<FoundDelivery>> read_delivery(const View& view, DeliveryId delivery) {
  const std::string key = sequence_key(delivery.sequence());
  TRY(const std::optional<std::string> record, view.database.get(Family::kEvents, key));
  if (!record) {
    return std::optional<FoundDelivery>();
  }
  TRY(const EventHead head, decode_event_head(key, *record));
  const uint64_t index = delivery.value & (DeliveryId::kFanOutMax - 1);
  if (index >= head.deliveries.size()) {
    return std::optional<FoundDelivery>();
  }
  FoundDelivery found{.delivery = head.deliveries[index], .end = {}};
  TRY(const std::optional<Delivery> waiting, read_waiting(view, found.delivery));
  if (waiting) {
    found.delivery = *waiting;
    return std::optional(found);
  }
  TRY(const std::optional<OutcomeRecord> outcome, read_last_outcome(view, delivery));
  if (outcome) {
    found.end = outcome->end;
  }
  return std::optional(found);
}

base::Result<std::optional<model::Event>> read_event(const View& view, base::Sequence sequence) {
  const std::string key = sequence_key(sequence);
  TRY(const std::optional<std::string> record, view.database.get(Family::kEvents, key));
  if (!record) {
    return std::optional<model::Event>();
  }
  TRY(model::Event event, decode_event(key, *record));
  return std::optional(std::move(event));
}

base::Result<model::DocumentPage> read_documents(const View& view,
                                                 const model::DocumentQuery& query) {
  const std::string range =
      query.every_tenant ? table_prefix(query.table) : document_prefix(query.table, query.tenant);
  std::string from = document_key(query.table, query.tenant, query.after);
  if (!query.after.empty()) {
    from.push_back('\0');
  }
  Scan scan(view.database, Family::kDocuments, from, after_prefix(range));
  model::DocumentPage page;
  for (; scan.is_valid() && page.documents.size() < query.limit; scan.next()) {
    TRY(StoredDocument stored, decode_document(scan.key(), scan.value()));
    page.documents.push_back({.table = query.table,
                              .tenant = tenant_of_document(scan.key()),
                              .key = std::string(scan.key().substr(kDocumentPrefixSize)),
                              .value = std::move(stored.value),
                              .revision = stored.revision});
  }
  TRY([[maybe_unused]] const bool is_read, scan.status());
  page.complete = !scan.is_valid();
  return page;
}

base::Result<std::optional<Standing>> read_standing(const View& view) {
  TRY(const std::optional<std::string> record, view.database.get(Family::kMeta, kStateKey));
  if (!record) {
    return std::optional<Standing>();
  }
  TRY(Standing standing, decode_standing(kStateKey, *record));
  return std::optional(standing);
}

}  // namespace store
