#include "store/endpoint_facts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "store/codec.h"
#include "store/keys.h"

namespace store {
namespace {

// An endpoint may have a queue for each of its subscriptions; so many ranges are looked at.
constexpr int kRangesMax = 1000;
// So many pauses and resumes may hide what changed the state.
constexpr uint32_t kTransitionsMax = 20;

// The head of each range of each queue is the first due in it.
base::Result<std::optional<base::Instant>> read_earliest_due(const View& view,
                                                             base::EndpointId endpoint) {
  const std::string prefix = endpoint_key(endpoint);
  Scan scan(view.database, Family::kDue, prefix, after_prefix(prefix));
  std::optional<base::Instant> earliest;
  for (int range = 0; range < kRangesMax && scan.is_valid(); ++range) {
    const std::optional<DuePlace> place = parse_due_key(scan.key());
    if (!place) {
      return base::fail(base::ErrorCode::kCorrupt, "a key of the due index is malformed");
    }
    earliest = std::min(earliest.value_or(place->at.due), place->at.due);
    scan.seek(after_prefix(due_prefix(place->endpoint, place->queue, place->range)));
  }
  TRY([[maybe_unused]] const bool is_read, scan.status());
  return earliest;
}

bool changes_state(const model::Transition& transition) {
  return transition.reason != model::TransitionReason::kPausedByHand &&
         transition.reason != model::TransitionReason::kResumedByHand;
}

base::Result<std::optional<model::Transition>> read_last_change(const View& view,
                                                                base::EndpointId endpoint) {
  TRY(const HistoryPage page,
      read_history(view, {.endpoint = endpoint, .before = {}, .limit = kTransitionsMax}));
  const auto last = std::ranges::find_if(page.transitions, changes_state);
  return last == page.transitions.end() ? std::optional<model::Transition>() : *last;
}

}  // namespace

base::Result<std::vector<std::optional<EndpointFacts>>> read_endpoint_facts(
    const View& view, const std::vector<base::EndpointId>& endpoints) {
  std::vector<std::optional<EndpointFacts>> all;
  all.reserve(endpoints.size());
  for (const base::EndpointId endpoint : endpoints) {
    const std::string key = endpoint_key(endpoint);
    TRY(const std::optional<std::string> record, view.database.get(Family::kEndpoints, key));
    if (!record) {
      all.emplace_back();
      continue;
    }
    EndpointFacts facts;
    TRY(facts.stored, decode_endpoint(key, *record));
    TRY(facts.earliest_due, read_earliest_due(view, endpoint));
    TRY(facts.last_change, read_last_change(view, endpoint));
    all.emplace_back(std::move(facts));
  }
  return all;
}

base::Result<WaitingCounts> read_waiting_counts(const View& view, base::EndpointId endpoint) {
  const std::string key = endpoint_key(endpoint);
  TRY(const std::optional<std::string> record, view.database.get(Family::kEndpoints, key));
  if (!record) {
    return WaitingCounts();
  }
  TRY(StoredEndpoint stored, decode_endpoint(key, *record));
  return std::move(stored.waiting);
}

base::Result<HistoryPage> read_history(const View& view, const HistoryQuery& query) {
  const std::string prefix = endpoint_key(query.endpoint);
  const std::string end =
      query.before.empty() ? after_prefix(prefix) : prefix + query.before.substr(0, 64);
  Scan scan(view.database, Family::kHistory, end, {});
  if (scan.is_valid()) {
    scan.prev();
  } else {
    TRY([[maybe_unused]] const bool is_read, scan.status());
    scan.seek_for_prev(end);
  }
  HistoryPage page;
  for (; scan.is_valid() && scan.key().starts_with(prefix); scan.prev()) {
    if (page.transitions.size() == query.limit) {
      return page;
    }
    TRY(model::Transition transition, decode_transition(scan.key(), scan.value()));
    page.transitions.push_back(transition);
    page.next = scan.key().substr(kHistoryPrefixSize);
  }
  TRY([[maybe_unused]] const bool is_read, scan.status());
  page.next.clear();
  return page;
}

}  // namespace store
