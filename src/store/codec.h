// The bytes of every record. Decoding is total: any bytes give a value or kCorrupt.
//
// Each record type has a version of its own (the first byte). Fields are only ever added at the
// end, under a new version; readers know all older ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "model/delivery.h"
#include "model/document.h"
#include "model/endpoint.h"
#include "model/event.h"
#include "model/section.h"
#include "store/records.h"
#include "store/rollups.h"
#include "store/standing.h"

namespace store {

// `room` is any string: the record takes its memory over, so that one record after the other can be
// made in the same place.

// Deliveries must have their ids.
std::string encode_event(std::string_view key, const model::Publish& publish,
                         const std::vector<model::Delivery>& deliveries, std::string room = {});
base::Result<EventHead> decode_event_head(std::string_view key, std::string_view record);
// The content has no tenant and id of its own on disk: they are filled in from the head.
base::Result<model::Event> decode_event(std::string_view key, std::string_view record);

std::string encode_outcome(std::string_view key, const OutcomeRecord& outcome,
                           std::string room = {});
base::Result<OutcomeRecord> decode_outcome(std::string_view key, std::string_view record);

// A waiting delivery; used under due and expiry keys alike.
std::string encode_delivery(std::string_view key, const model::Delivery& delivery);
base::Result<model::Delivery> decode_delivery(std::string_view key, std::string_view record);

// Where the expiry record of an ordered delivery is.
struct LineEntry {
  base::ShardId shard = 0;
  base::Instant last_slot;
};
std::string encode_line(std::string_view key, const LineEntry& entry);
base::Result<LineEntry> decode_line(std::string_view key, std::string_view record);

std::string encode_endpoint(std::string_view key, const model::EndpointRecord& endpoint,
                            const WaitingCounts& waiting);
base::Result<StoredEndpoint> decode_endpoint(std::string_view key, std::string_view record);

std::string encode_transition(std::string_view key, const model::Transition& transition);
base::Result<model::Transition> decode_transition(std::string_view key, std::string_view record);

struct UniqueEntry {
  base::Sequence sequence = 0;
  uint64_t digest = 0;
};
std::string encode_unique(std::string_view key, const UniqueEntry& entry);
base::Result<UniqueEntry> decode_unique(std::string_view key, std::string_view record);

struct StoredDocument {
  uint64_t revision = 0;
  std::string value;
};
std::string encode_document(std::string_view key, const StoredDocument& document);
base::Result<StoredDocument> decode_document(std::string_view key, std::string_view record);

std::string encode_standing(std::string_view key, const Standing& standing);
base::Result<Standing> decode_standing(std::string_view key, std::string_view record);

std::string encode_ranges(std::string_view key, const std::vector<SequenceRange>& ranges);
base::Result<std::vector<SequenceRange>> decode_ranges(std::string_view key,
                                                       std::string_view record);

std::string encode_number(std::string_view key, uint64_t number);
base::Result<uint64_t> decode_number(std::string_view key, std::string_view record);

}  // namespace store
