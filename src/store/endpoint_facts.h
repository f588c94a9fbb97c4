// What is stored about endpoints, for people. Short reads: see queries.h.
#pragma once

#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "store/queries.h"
#include "store/tables.h"

namespace store {

base::Result<std::vector<std::optional<EndpointFacts>>> read_endpoint_facts(
    const View& view, const std::vector<base::EndpointId>& endpoints);
// Counts that its record includes and that are in no row yet.
base::Result<WaitingCounts> read_waiting_counts(const View& view, base::EndpointId endpoint);
base::Result<HistoryPage> read_history(const View& view, const HistoryQuery& query);

}  // namespace store
