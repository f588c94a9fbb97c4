#include "api/docs_page.h"

#include "api/docs_style.h"
#include "api/html_writer.h"
#include "api/json_layout.h"
#include "api/schema_page.h"
#include "base/check.h"
#include "match/json.h"
#include "secrets/base64.h"
#include "secrets/sha256.h"

namespace api {
namespace {

using match::JsonKind;
using match::JsonMember;
using match::JsonValue;

std::string_view text_of(JsonValue value) {
  return value.kind() == JsonKind::kString ? value.as_string() : std::string_view();
}

std::string in_capitals(std::string_view word) {
  std::string capitals(word);
  for (char& c : capitals) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return capitals;
}

// One operation, with the place it has in the document.
struct Operation {
  std::string_view path;
  std::string method;  // in capitals
  JsonValue what;

  std::string_view id() const { return text_of(what.find("operationId")); }
  bool needs_key() const { return !text_of(what.find("x-scope")).empty(); }
};

// --- One operation ---

void write_parameters(HtmlWriter& html, JsonValue document, JsonValue parameters) {
  if (parameters.size() == 0) {
    return;
  }
  html.markup(
      "<table class=\"parameters\"><thead><tr><th>parameter</th><th>where</th><th>what it is</th>"
      "<th>meaning</th></tr></thead><tbody>\n");
  for (const JsonValue each : parameters.elements()) {
    const JsonValue parameter = resolved(document, each);
    html.markup("<tr><td>").element("code", text_of(parameter.find("name")));
    html.markup("</td><td>").text(text_of(parameter.find("in"))).markup("</td><td>");
    write_type(html, parameter.find("schema"));
    html.markup("</td><td>").sentences(text_of(parameter.find("description")));
    html.markup("</td></tr>\n");
  }
  html.markup("</tbody></table>\n");
}

constexpr std::string_view kEventStream = "text/event-stream";

// An object on each line.
std::string lines_text(JsonValue objects) {
  std::string lines;
  for (const JsonValue line : objects.elements()) {
    lines += compact_json(line) + "\n";
  }
  return lines;
}

// One server-sent event: a field on each line.
std::string message_text(JsonValue message) {
  std::string lines;
  for (const JsonMember field : message.members()) {
    lines += std::string(field.key) + ": " + std::string(text_of(field.value)) + "\n";
  }
  return lines;
}

std::string example_text(std::string_view media_type, JsonValue example) {
  if (media_type == "application/x-ndjson") {
    return lines_text(example);
  }
  if (media_type == kEventStream) {
    return message_text(example);
  }
  return example.kind() == JsonKind::kString ? std::string(example.as_string())
                                             : indented_json(example);
}

void write_content(HtmlWriter& html, JsonValue content) {
  for (const JsonMember media : content.members()) {
    html.markup("<p>").element("code", media.key).markup(": ");
    write_type(html, media.value.find("schema"));
    html.markup(". ").sentences(text_of(media.value.find("schema").find("description")));
    html.markup("</p>\n");
    const JsonValue example = media.value.find("example");
    if (example.kind() != JsonKind::kMissing) {
      html.element("pre", example_text(media.key, example)).markup("\n");
    }
  }
}

// The request as somebody would type it.
std::string curl_text(const Operation& operation) {
  const JsonValue answer = operation.what.find("responses").find("200").find("content");
  const bool is_endless = answer.find(kEventStream).kind() == JsonKind::kObject;
  std::string command = is_endless ? "curl -N" : "curl";
  if (operation.method != "GET") {
    command += " -X " + operation.method;
  }
  command += " http://127.0.0.1:8080" + std::string(operation.path);
  if (operation.needs_key()) {
    command += " \\\n  -H \"Authorization: Bearer $POSTRIDER_KEY\"";
  }
  const JsonValue media =
      operation.what.find("requestBody").find("content").find("application/json");
  if (media.kind() == JsonKind::kObject) {
    command += " \\\n  -H 'Content-Type: application/json' \\\n  -d '" +
               compact_json(media.find("example")) + "'";
  }
  return command;
}

void write_request(HtmlWriter& html, const Operation& operation) {
  const JsonValue body = operation.what.find("requestBody");
  if (body.kind() != JsonKind::kMissing) {
    const JsonValue required = body.find("required");
    const bool is_needed = required.kind() == JsonKind::kBool && required.as_bool();
    html.element("h4", is_needed ? "Body" : "Body, if you like").markup("\n");
    write_content(html, body.find("content"));
  }
  html.element("h4", "Try it").markup("\n");
  html.element("pre", curl_text(operation)).markup("\n");
}

bool is_shared(const JsonMember& response) {
  return response.value.find("$ref").kind() == JsonKind::kString;
}

void write_answer(HtmlWriter& html, std::string_view status, JsonValue what) {
  html.markup("<div class=\"answer\"><b>").text(status).markup("</b> ");
  html.sentences(text_of(what.find("description")));
}

// Those that many operations share: folded up, a line each.
void write_refusals(HtmlWriter& html, JsonValue document, JsonValue responses) {
  std::string statuses;
  for (const JsonMember response : responses.members()) {
    statuses += is_shared(response) ? " " + std::string(response.key) : "";
  }
  if (statuses.empty()) {
    return;
  }
  html.markup("<details><summary>Refusals:").text(statuses).markup("</summary>\n");
  for (const JsonMember response : responses.members()) {
    if (is_shared(response)) {
      write_answer(html, response.key, resolved(document, response.value));
      html.markup("</div>\n");
    }
  }
  html.markup("</details>\n");
}

void write_answers(HtmlWriter& html, JsonValue document, JsonValue responses) {
  html.element("h4", "Answers").markup("\n");
  for (const JsonMember response : responses.members()) {
    if (!is_shared(response)) {
      write_answer(html, response.key, response.value);
      write_content(html, response.value.find("content"));
      html.markup("</div>\n");
    }
  }
  write_refusals(html, document, responses);
}

void write_operation(HtmlWriter& html, JsonValue document, const Operation& operation) {
  html.markup("<section class=\"operation\" id=\"").text(operation.id()).markup("\">\n");
  html.element("h3", text_of(operation.what.find("summary"))).markup("\n<p class=\"line\"><code>");
  html.element("b", operation.method).text(" ").text(operation.path).markup("</code> ");
  if (operation.needs_key()) {
    html.text("needs a key with the scope ").element("b", text_of(operation.what.find("x-scope")));
  } else {
    html.text("needs no key");
  }
  html.markup("</p>\n").paragraphs(text_of(operation.what.find("description")));
  write_parameters(html, document, operation.what.find("parameters"));
  write_request(html, operation);
  write_answers(html, document, operation.what.find("responses"));
  html.markup("</section>\n");
}

// --- The page ---

bool has_tag(JsonValue operation, std::string_view tag) {
  for (const JsonValue each : operation.find("tags").elements()) {
    if (text_of(each) == tag) {
      return true;
    }
  }
  return false;
}

// Calls use(Operation) for those with this tag, as the document has them in order.
template <class Use>
void for_each_operation(JsonValue document, std::string_view tag, Use use) {
  for (const JsonMember path : document.find("paths").members()) {
    for (const JsonMember method : path.value.members()) {
      if (has_tag(method.value, tag)) {
        use(Operation{.path = path.key, .method = in_capitals(method.key), .what = method.value});
      }
    }
  }
}

void write_contents(HtmlWriter& html, JsonValue document) {
  html.markup("<nav>\n");
  for (const JsonValue tag : document.find("tags").elements()) {
    const std::string_view name = text_of(tag.find("name"));
    html.element("b", name).markup("<ul>\n");
    for_each_operation(document, name, [&](const Operation& operation) {
      html.markup("<li>").link(operation.id(), text_of(operation.what.find("summary")));
      html.markup("</li>\n");
    });
    html.markup("</ul>\n");
  }
  html.link("shapes", "What the bodies are made of").markup("</nav>\n");
}

void write_tags(HtmlWriter& html, JsonValue document) {
  for (const JsonValue tag : document.find("tags").elements()) {
    const std::string_view name = text_of(tag.find("name"));
    html.element("h2", name).markup("\n").paragraphs(text_of(tag.find("description")));
    for_each_operation(document, name, [&](const Operation& operation) {
      write_operation(html, document, operation);
    });
  }
}

void write_shapes(HtmlWriter& html, JsonValue document) {
  html.markup("<h2 id=\"shapes\">What the bodies are made of</h2>\n");
  for (const JsonMember schema : document.find("components").find("schemas").members()) {
    write_schema(html, schema.key, schema.value);
  }
}

void write_page(HtmlWriter& html, JsonValue document) {
  const JsonValue about = document.find("info");
  html.markup(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
  html.text(text_of(about.find("title"))).text(" API").markup("</title>\n<style>");
  html.markup(docs_style()).markup("</style></head>\n<body>\n");
  write_contents(html, document);
  html.markup("<main>\n<h1>").text(text_of(about.find("title"))).text(" API ");
  html.element("small", text_of(about.find("version"))).markup("</h1>\n");
  html.paragraphs(text_of(about.find("description")));
  html.markup(
      "<p>The examples below expect a server on this machine, and your key in a variable: "
      "<code>export POSTRIDER_KEY=$(cat postrider-data/admin.key)</code>. Put an id where a path "
      "has a name in braces.</p>\n");
  html.markup("<p>For programs the same is at <a href=\"/openapi.json\">/openapi.json</a>.</p>\n");
  write_tags(html, document);
  write_shapes(html, document);
  html.markup("</main>\n</body></html>\n");
}

}  // namespace

DocsPage make_docs_page(std::string_view openapi) {
  match::JsonParser parser;
  const auto document = parser.parse(openapi);
  CHECK(document.has_value());
  DocsPage page;
  HtmlWriter html(page.html);
  write_page(html, *document);
  page.policy = "default-src 'none'; style-src 'sha256-";
  secrets::append_base64(page.policy, secrets::sha256({docs_style()}));
  page.policy += "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return page;
}

}  // namespace api
