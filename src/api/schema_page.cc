#include "api/schema_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/json_layout.h"

namespace api {
namespace {

using match::JsonKind;
using match::JsonValue;

std::string_view text_of(JsonValue value) {
  return value.kind() == JsonKind::kString ? value.as_string() : std::string_view();
}

bool is_null_type(JsonValue schema) { return text_of(schema.find("type")) == "null"; }

std::string_view word_for(std::string_view type) {
  if (type == "string") {
    return "text";
  }
  if (type == "integer") {
    return "whole number";
  }
  if (type == "boolean") {
    return "true or false";
  }
  return type == "array" ? "list" : type;
}

// The types that a schema names, in words, without null.
std::vector<std::string_view> words_for(JsonValue type) {
  std::vector<std::string_view> words;
  if (type.kind() == JsonKind::kString) {
    words.push_back(word_for(type.as_string()));
  }
  for (const JsonValue each : type.elements()) {
    if (text_of(each) != "null") {
      words.push_back(word_for(text_of(each)));
    }
  }
  return words;
}

bool has_text(JsonValue list, std::string_view text) {
  for (const JsonValue each : list.elements()) {
    if (text_of(each) == text) {
      return true;
    }
  }
  return false;
}

// "1 to 256", "exactly 20", "at least 1", "at most 256"; empty if there is no limit.
std::string range_text(JsonValue least, JsonValue most) {
  const bool has_least = least.kind() == JsonKind::kInteger;
  const bool has_most = most.kind() == JsonKind::kInteger;
  if (has_least && has_most && least.as_integer() == most.as_integer()) {
    return fmt::format("exactly {}", least.as_integer());
  }
  if (has_least && has_most) {
    return fmt::format("{} to {}", least.as_integer(), most.as_integer());
  }
  if (has_least && least.as_integer() != 0) {
    return fmt::format("at least {}", least.as_integer());
  }
  return has_most ? fmt::format("at most {}", most.as_integer()) : "";
}

void write_limits(HtmlWriter& html, JsonValue schema) {
  const std::string number = range_text(schema.find("minimum"), schema.find("maximum"));
  const std::string length = range_text(schema.find("minLength"), schema.find("maxLength"));
  const std::string count = range_text(schema.find("minItems"), schema.find("maxItems"));
  if (!number.empty()) {
    html.text(", " + number);
  }
  if (!length.empty()) {
    html.text(", " + length + " characters");
  }
  if (!count.empty()) {
    html.text(", " + count + " of them");
  }
}

void write_choices(HtmlWriter& html, JsonValue choices) {
  std::string_view gap;
  for (const JsonValue choice : choices.elements()) {
    html.markup(gap).element("code", compact_json(choice));
    gap = ", ";
  }
}

void write_alternatives(HtmlWriter& html, JsonValue alternatives) {
  std::string_view gap;
  for (const JsonValue alternative : alternatives.elements()) {
    html.markup(gap);
    write_type(html, alternative);
    gap = " or ";
  }
}

void write_plain_type(HtmlWriter& html, JsonValue schema) {
  const JsonValue type = schema.find("type");
  std::string_view gap;
  for (const std::string_view word : words_for(type)) {
    html.markup(gap).text(word);
    gap = " or ";
  }
  const JsonValue items = schema.find("items");
  if (items.find("enum").kind() == JsonKind::kArray) {
    html.markup(" of ");
    write_choices(html, items.find("enum"));
  } else if (items.kind() == JsonKind::kObject) {
    html.markup(" of ");
    write_type(html, items);
  }
  write_limits(html, schema);
  if (has_text(type, "null")) {
    html.markup(", or null");
  }
}

// The object within: of "X or null", X; of a list, what it is a list of.
struct Inner {
  JsonValue object;
  std::string_view mark;  // what its place is called by, after its name
};

Inner inner_of(JsonValue schema) {
  if (schema.find("properties").kind() == JsonKind::kObject) {
    return {.object = schema, .mark = "."};
  }
  if (schema.find("items").find("properties").kind() == JsonKind::kObject) {
    return {.object = schema.find("items"), .mark = "[]."};
  }
  for (const JsonValue alternative : schema.find("anyOf").elements()) {
    if (!is_null_type(alternative) && schema.find("anyOf").size() == 2) {
      return {.object = alternative.find("properties").kind() == JsonKind::kObject ? alternative
                                                                                   : JsonValue(),
              .mark = "."};
    }
  }
  return {};
}

// One row for each field; those of objects within follow as "outer.inner".
void write_rows(HtmlWriter& html, JsonValue object, const std::string& prefix) {
  for (const match::JsonMember field : object.find("properties").members()) {
    const std::string name = prefix + std::string(field.key);
    html.markup("<tr><td>").element("code", name).markup("</td><td>");
    write_type(html, field.value);
    html.markup("</td><td>")
        .text(has_text(object.find("required"), field.key) ? "required" : "optional");
    html.markup("</td><td>").sentences(text_of(field.value.find("description")));
    html.markup("</td></tr>\n");
    if (const Inner inner = inner_of(field.value); inner.object.kind() == JsonKind::kObject) {
      write_rows(html, inner.object, name + std::string(inner.mark));
    }
  }
}

void write_table(HtmlWriter& html, JsonValue object) {
  html.markup(
      "<table class=\"fields\"><thead><tr><th>field</th><th>what it is</th><th>presence</th>"
      "<th>meaning</th></tr></thead><tbody>\n");
  write_rows(html, object, "");
  html.markup("</tbody></table>\n");
}

bool has_fields(JsonValue schema) { return schema.find("properties").size() > 0; }

// Each alternative that has fields, one after the other.
void write_variants(HtmlWriter& html, JsonValue alternatives) {
  bool is_first = true;
  for (const JsonValue alternative : alternatives.elements()) {
    html.markup(is_first ? "<p>Either:</p>\n" : "<p>or:</p>\n");
    is_first = false;
    if (has_fields(alternative)) {
      write_table(html, alternative);
    } else {
      html.markup("<p>");
      write_type(html, alternative);
      html.markup("</p>\n");
    }
  }
}

}  // namespace

JsonValue resolved(JsonValue document, JsonValue value) {
  std::string_view path = text_of(value.find("$ref"));
  if (!path.starts_with("#/")) {
    return value;
  }
  path.remove_prefix(2);
  JsonValue place = document;
  while (!path.empty()) {
    const size_t end = std::min(path.find('/'), path.size());
    place = place.find(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return place;
}

void write_type(HtmlWriter& html, JsonValue schema) {
  const std::string_view reference = text_of(schema.find("$ref"));
  if (!reference.empty()) {
    const std::string_view name = reference.substr(reference.rfind('/') + 1);
    html.link(name, name);
  } else if (schema.find("contentSchema").kind() == JsonKind::kObject) {
    write_type(html, schema.find("contentSchema"));
    html.markup(", as JSON on one line");
  } else if (schema.find("const").kind() != JsonKind::kMissing) {
    html.element("code", compact_json(schema.find("const")));
  } else if (schema.find("enum").kind() == JsonKind::kArray) {
    html.markup("one of ");
    write_choices(html, schema.find("enum"));
  } else if (schema.find("anyOf").kind() == JsonKind::kArray && !has_fields(schema)) {
    write_alternatives(html, schema.find("anyOf"));
  } else if (schema.find("type").kind() == JsonKind::kMissing) {
    html.markup("any JSON value");
  } else {
    write_plain_type(html, schema);
  }
}

void write_schema(HtmlWriter& html, std::string_view name, JsonValue schema) {
  html.markup("<section id=\"").text(name).markup("\">").element("h3", name).markup("\n");
  html.paragraphs(text_of(schema.find("description")));
  if (has_fields(schema)) {
    write_table(html, schema);
  } else if (schema.find("anyOf").kind() == JsonKind::kArray) {
    write_variants(html, schema.find("anyOf"));
  } else {
    html.markup("<p>");
    write_type(html, schema);
    html.markup("</p>\n");
  }
  html.markup("</section>\n");
}

}  // namespace api
