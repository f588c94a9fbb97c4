#include "registry/key_input.h"

#include <array>
#include <optional>
#include <string_view>

#include "match/reading.h"
#include "registry/input_fields.h"
#include "registry/names.h"

namespace registry {
namespace {

using base::Result;
using match::JsonKind;
using match::JsonPlace;

Result<std::string> read_name(const JsonPlace& at) {
  TRY(const std::string_view name, read_string(at, kNameBytesMax));
  TRY([[maybe_unused]] const bool is_name, check_name(at.path(), name));
  return std::string(name);
}

Result<Scopes> read_scopes(const JsonPlace& at) {
  if (at.kind() != JsonKind::kArray) {
    return wrong(at, "must be a list of publish, read, manage and admin");
  }
  Scopes scopes;
  size_t index = 0;
  for (const match::JsonValue element : at.value().elements()) {
    const JsonPlace place = at.at(index, element);
    TRY(const std::string_view word, read_string(place, kNameBytesMax));
    TRY(const Scope scope, named(place, parse_scope(word)));
    scopes.add(scope);
    ++index;
  }
  return scopes;
}

Result<base::Instant> read_time(const JsonPlace& at) {
  const std::optional<match::Moment> moment =
      at.kind() == JsonKind::kString ? match::read_moment(at.value().as_string()) : std::nullopt;
  if (!moment || moment->seconds < 0) {
    return wrong(at, "must be a date and time, for example \"2027-01-01T00:00:00Z\"");
  }
  return base::Instant::from_ms(moment->seconds * 1000 + moment->nanos / 1'000'000);
}

}  // namespace

Result<NewApiKey> read_key_input(match::JsonValue body) {
  constexpr std::array<std::string_view, 3> kFields = {"name", "scopes", "expires_at"};
  const JsonPlace root(body, "");
  TRY([[maybe_unused]] const bool is_known, check_fields(root, kFields));
  NewApiKey wanted;
  TRY(wanted.name, read_name(root.find("name")));
  TRY(wanted.scopes, read_scopes(root.find("scopes")));
  const JsonPlace end = root.find("expires_at");
  if (!end.value().is_missing_or_null()) {
    TRY(wanted.expires_at, read_time(end));
  }
  return wanted;
}

Result<std::string> read_tenant_input(match::JsonValue body) {
  constexpr std::array<std::string_view, 1> kFields = {"name"};
  const JsonPlace root(body, "");
  TRY([[maybe_unused]] const bool is_known, check_fields(root, kFields));
  return read_name(root.find("name"));
}

}  // namespace registry
