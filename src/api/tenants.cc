#include "api/tenants.h"

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

using registry::Tenant;

constexpr uint32_t kLimit = 20;
constexpr uint32_t kLimitMax = 100;

Problem tenant_problem(const base::Error& error) {
  return error.code == base::ErrorCode::kNotFound ? no_such("tenant") : input_problem(error);
}

void write_tenant(text::JsonWriter& json, const Tenant& tenant) {
  json.begin_object()
      .field("id", text::id_text(tenant.id))
      .field("name", tenant.name)
      .field("created_at", text::time_text(tenant.created_at))
      .end_object();
}

std::string tenant_text(const Tenant& tenant) {
  std::string body;
  text::JsonWriter json(body);
  write_tenant(json, tenant);
  return body;
}

std::string page_text(const registry::TenantPage& page) {
  std::string body;
  text::JsonWriter json(body);
  json.begin_object().key("items").begin_array();
  for (const Tenant& tenant : page.tenants) {
    write_tenant(json, tenant);
  }
  json.end_array().key("cursor");
  if (page.complete || page.tenants.empty()) {
    json.null();
  } else {
    json.value(text::id_text(page.tenants.back().id));
  }
  json.end_object();
  return body;
}

std::expected<registry::TenantPage, Problem> read_page(Backend& backend,
                                                       const http::Request& request) {
  constexpr std::array<std::string_view, 2> kParameters = {"limit", "cursor"};
  TRY(const Parameters parameters, Parameters::parse(request, kParameters));
  TRY(const uint32_t limit, parameters.limit(kLimit, kLimitMax));
  TRY(const std::optional<base::TenantId> after,
      parameters.id("cursor", &text::parse_tenant_id, "ten_..."));
  return backend.registry.tenants().list(after.value_or(base::TenantId()), limit);
}

Problem own_tenant() {
  return {.status = 409,
          .code = "conflict",
          .message = "your own key belongs to this tenant and would go with it",
          .hint = "delete it with an admin key of another tenant"};
}

}  // namespace

void create_tenant(Backend& backend, Call& call) {
  const auto body = json_object_of(backend, call.request);
  if (!body.has_value()) {
    call.reply.problem(body.error());
    return;
  }
  auto name = registry::read_tenant_input(*body);
  if (!name.has_value()) {
    call.reply.problem(input_problem(name.error()));
    return;
  }
  backend.registry.tenants().create(*std::move(name),
                                    [reply = call.keep()](const base::Result<Tenant>& made) {
                                      if (made.has_value()) {
                                        reply->json(201, tenant_text(*made));
                                      } else {
                                        reply->problem(tenant_problem(made.error()));
                                      }
                                    });
}

void list_tenants(Backend& backend, Call& call) {
  const auto page = read_page(backend, call.request);
  if (page.has_value()) {
    call.reply.json(200, page_text(*page));
  } else {
    call.reply.problem(page.error());
  }
}

void show_tenant(Backend& backend, Call& call) {
  const auto id = text::parse_tenant_id(call.path["id"]);
  const auto tenant = id ? backend.registry.tenants().find(*id) : std::nullopt;
  if (tenant) {
    call.reply.json(200, tenant_text(*tenant));
  } else {
    call.reply.problem(no_such("tenant"));
  }
}

void delete_tenant(Backend& backend, Call& call) {
  const auto id = text::parse_tenant_id(call.path["id"]);
  if (!id || !backend.registry.tenants().contains(*id)) {
    call.reply.problem(no_such("tenant"));
    return;
  }
  if (backend.registry.keys().tenant_of(call.caller.key) == *id) {
    call.reply.problem(own_tenant());
    return;
  }
  backend.registry.tenants().remove(
      *id, [reply = call.keep(), id = *id](const base::Result<void>& result) {
        if (!result.has_value()) {
          reply->problem(tenant_problem(result.error()));
          return;
        }
        std::string body;
        text::JsonWriter(body)
            .begin_object()
            .field("id", text::id_text(id))
            .field("status", "deleting")
            .end_object();
        reply->json(202, std::move(body));
      });
}

}  // namespace api
