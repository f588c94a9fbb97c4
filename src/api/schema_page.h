// Schemas of the OpenAPI document in words and tables, for the API page.
//
// It knows the part of JSON Schema that the document uses: references, texts, numbers, lists,
// objects, alternatives and fixed values. Patterns are left to programs.
#pragma once

#include <string_view>

#include "api/html_writer.h"
#include "match/json.h"

namespace api {

// What a reference leads to within the document, or the value itself.
match::JsonValue resolved(match::JsonValue document, match::JsonValue value);

// "text, 1 to 256 characters, or null"; named schemas are links.
void write_type(HtmlWriter& html, match::JsonValue schema);
// The section of a named schema: its fields, or what it may be.
void write_schema(HtmlWriter& html, std::string_view name, match::JsonValue schema);

}  // namespace api
