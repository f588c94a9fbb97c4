#include "registry/endpoints.h"

#include <array>
#include <utility>

#include "match/json.h"
#include "registry/record_json.h"
#include "secrets/sha256.h"
#include "text/id_text.h"

namespace registry {
namespace {

DocumentPlace place_at(base::TenantId tenant, base::EndpointId id) {
  return {.table = model::Table::kEndpointUrls, .tenant = tenant, .key = text::id_text(id)};
}

base::Result<EndpointUrl> decode(match::JsonParser& parser, const model::Document& document) {
  TRY(RecordReader record, open_record(parser, document));
  const std::optional<base::EndpointId> id = text::parse_endpoint_id(document.key);
  EndpointUrl endpoint{.id = id.value_or(base::EndpointId()), .url = record.text("url")};
  if (!id || !record.is_sound()) {
    return corrupt_record(document);
  }
  return endpoint;
}

base::EndpointId next_id(base::EndpointId id) {
  const base::EndpointId next = base::EndpointId::make(id.shard(), id.value + 1);
  return next.is_set() ? next : base::EndpointId::make(id.shard(), 1);
}

model::DocumentChange creation_of(const DocumentPlace& place, const std::string& url) {
  std::string value;
  text::JsonWriter writer(value);
  writer.begin_object().field("v", kRecordVersion).field("url", url).end_object();
  return {.table = place.table,
          .tenant = place.tenant,
          .key = place.key,
          .value = std::move(value),
          .expected_revision = 0};
}

}  // namespace

base::EndpointId Endpoints::first_id(base::TenantId tenant, std::string_view url) {
  const secrets::Sha256 digest = secrets::sha256({text::id_text(tenant), "\n", url});
  uint64_t number = 0;
  for (size_t i = 1; i <= 7; ++i) {
    number = number << 8U | digest[i];
  }
  const base::EndpointId id = base::EndpointId::make(digest[0], number);
  return id.is_set() ? id : next_id(id);
}

void Endpoints::find(base::TenantId tenant, base::EndpointId id, Done<EndpointUrl> done) {
  documents_.find(place_at(tenant, id), [this, id, done = std::move(done)](
                                            const std::optional<model::Document>& found) {
    if (!found) {
      done(base::fail(base::ErrorCode::kNotFound, "there is no endpoint " + text::id_text(id)));
      return;
    }
    done(decode(parser_, *found));
  });
}

void Endpoints::list(base::TenantId tenant, base::EndpointId after, uint32_t limit,
                     Done<EndpointPage> done) {
  documents_.page({.table = model::Table::kEndpointUrls,
                   .tenant = tenant,
                   .after = text::id_text(after),
                   .limit = limit},
                  [this, done = std::move(done)](const model::DocumentPage& found) {
                    EndpointPage page;
                    page.complete = found.complete;
                    for (const model::Document& document : found.documents) {
                      auto endpoint = decode(parser_, document);
                      if (!endpoint.has_value()) {
                        done(std::unexpected(std::move(endpoint.error())));
                        return;
                      }
                      page.endpoints.push_back(*std::move(endpoint));
                    }
                    done(std::move(page));
                  });
}

void Endpoints::place_of(base::TenantId tenant, const std::string& url, Done<Place> done) {
  try_place(tenant, url, first_id(tenant, url), std::move(done));
}

void Endpoints::try_place(base::TenantId tenant, const std::string& url, base::EndpointId id,
                          Done<Place> done) {
  const DocumentPlace place = place_at(tenant, id);
  documents_.find(place, [this, place, url, id,
                          done = std::move(done)](const std::optional<model::Document>& found) {
    if (!found) {
      done(Place{.id = id, .creation = creation_of(place, url)});
      return;
    }
    const auto endpoint = decode(parser_, *found);
    if (!endpoint.has_value()) {
      done(std::unexpected(endpoint.error()));
      return;
    }
    if (endpoint->url == url) {
      done(Place{.id = id, .creation = std::nullopt});
      return;
    }
    try_place(place.tenant, url, next_id(id), done);
  });
}

}  // namespace registry
