#include "api/keys.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/backend.h"
#include "api/input_problem.h"
#include "api/parameters.h"
#include "registry/key_input.h"
#include "text/id_text.h"
#include "text/json_writer.h"
#include "text/time_text.h"

namespace api {
namespace {

using registry::ApiKey;

constexpr uint32_t kLimit = 20;
constexpr uint32_t kLimitMax = 100;

Problem key_problem(const base::Error& error) {
  return error.code == base::ErrorCode::kNotFound ? no_such("key") : input_problem(error);
}

// The members of an object that is open.
void write_key(text::JsonWriter& json, const ApiKey& key) {
  json.field("id", text::key_id_text(key.id.value)).field("name", key.name);
  json.key("scopes").begin_array();
  for (const std::string_view scope : key.scopes.words()) {
    json.value(scope);
  }
  json.end_array().field("created_at", text::time_text(key.created_at)).key("expires_at");
  if (key.expires_at.is_set()) {
    json.value(text::time_text(key.expires_at));
  } else {
    json.null();
  }
}

std::string created_text(const registry::CreatedApiKey& created) {
  std::string body;
  text::JsonWriter json(body);
  json.begin_object();
  write_key(json, created.key);
  json.field("key", created.text.text()).end_object();
  return body;
}

std::string page_text(const registry::ApiKeyPage& page) {
  std::string body;
  text::JsonWriter json(body);
  json.begin_object().key("items").begin_array();
  for (const ApiKey& key : page.keys) {
    json.begin_object();
    write_key(json, key);
    json.end_object();
  }
  json.end_array().key("cursor");
  if (page.complete || page.keys.empty()) {
    json.null();
  } else {
    json.value(text::key_id_text(page.keys.back().id.value));
  }
  json.end_object();
  return body;
}

struct PagePart {
  registry::KeyId after;
  uint32_t limit = kLimit;
};

std::expected<PagePart, Problem> read_page_part(const http::Request& request) {
  constexpr std::array<std::string_view, 2> kParameters = {"limit", "cursor"};
  TRY(const Parameters parameters, Parameters::parse(request, kParameters));
  PagePart part;
  TRY(part.limit, parameters.limit(kLimit, kLimitMax));
  TRY(const std::optional<uint64_t> after, parameters.id("cursor", &text::parse_key_id, "key_..."));
  part.after = {after.value_or(0)};
  return part;
}

}  // namespace

void create_key(Backend& backend, Call& call) {
  const auto body = json_object_of(backend, call.request);
  if (!body.has_value()) {
    call.reply.problem(body.error());
    return;
  }
  auto wanted = registry::read_key_input(*body);
  if (!wanted.has_value()) {
    call.reply.problem(input_problem(wanted.error()));
    return;
  }
  backend.registry.keys().create(
      call.caller.tenant, *std::move(wanted),
      [reply = call.keep()](const base::Result<registry::CreatedApiKey>& made) {
        if (made.has_value()) {
          reply->json(201, created_text(*made));
        } else {
          reply->problem(key_problem(made.error()));
        }
      });
}

void list_keys(Backend& backend, Call& call) {
  const auto part = read_page_part(call.request);
  if (!part.has_value()) {
    call.reply.problem(part.error());
    return;
  }
  backend.registry.keys().list(
      call.caller.tenant, part->after, part->limit,
      [reply = call.keep()](const base::Result<registry::ApiKeyPage>& page) {
        if (page.has_value()) {
          reply->json(200, page_text(*page));
        } else {
          reply->problem(problem_of(page.error()));
        }
      });
}

void revoke_key(Backend& backend, Call& call) {
  const auto id = text::parse_key_id(call.path["id"]);
  if (!id) {
    call.reply.problem(no_such("key"));
    return;
  }
  backend.registry.keys().revoke(call.caller.tenant, {*id},
                                 [reply = call.keep()](const base::Result<void>& result) {
                                   if (result.has_value()) {
                                     reply->nothing();
                                   } else {
                                     reply->problem(key_problem(result.error()));
                                   }
                                 });
}

}  // namespace api
