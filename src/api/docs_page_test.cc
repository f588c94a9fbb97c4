#include "api/docs_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "api/openapi.h"
#include "api/routes.h"

namespace api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The texts between `before` and the next quotation mark.
std::set<std::string> quoted_after(std::string_view html, std::string_view before) {
  std::set<std::string> found;
  for (size_t at = html.find(before); at != std::string_view::npos; at = html.find(before, at)) {
    at += before.size();
    found.emplace(html.substr(at, html.find('"', at) - at));
  }
  return found;
}

const DocsPage& page() {
  static const DocsPage kMade = make_docs_page(openapi_text());
  return kMade;
}

constexpr std::string_view kSmallDocument = R"({
  "info": {"title": "<Small>", "version": "1", "description": "One `code` & more\n\nTwo"},
  "tags": [{"name": "Things", "description": "All of them"}],
  "paths": {"/things": {"post": {
    "operationId": "makeThing", "tags": ["Things"], "summary": "Make a \"thing\"",
    "x-scope": "manage",
    "parameters": [{"name": "limit", "in": "query", "description": "How many",
                    "schema": {"type": "integer", "minimum": 1, "maximum": 100}}],
    "requestBody": {"required": true, "content": {"application/json": {
      "schema": {"$ref": "#/components/schemas/Thing"}, "example": {"name": "a"}}}},
    "responses": {"201": {"description": "Made"}}}}},
  "components": {"schemas": {"Thing": {"type": "object", "required": ["name"], "properties": {
    "name": {"type": ["string", "null"], "maxLength": 9, "description": "What it is called"},
    "size": {"anyOf": [{"type": "object", "properties": {"width": {"type": "integer"}}},
                       {"type": "null"}]}}}}}})";

TEST(DocsPageTest, EveryRouteIsOnThePage) {
  for (const Routes::Row& row : routes().rows()) {
    const std::string line = "<b>" + std::string(http::to_word(row.route.method)) + "</b> " +
                             std::string(row.route.path) + "</code>";
    EXPECT_THAT(page().html, HasSubstr(line));
  }
}

TEST(DocsPageTest, EveryLinkLeadsToAPlaceOfThePage) {
  const std::set<std::string> places = quoted_after(page().html, "id=\"");
  const std::set<std::string> links = quoted_after(page().html, "href=\"#");
  EXPECT_GT(links.size(), routes().rows().size());
  for (const std::string& link : links) {
    EXPECT_TRUE(places.contains(link)) << link;
  }
}

TEST(DocsPageTest, ThePageNeedsNothingElse) {
  EXPECT_THAT(page().html, Not(HasSubstr("<script")));
  EXPECT_THAT(page().html, Not(HasSubstr("<link")));
  EXPECT_THAT(page().html, Not(HasSubstr("<img")));
  EXPECT_THAT(page().html, Not(HasSubstr(" src=")));
  EXPECT_THAT(page().html, Not(HasSubstr("url(")));
  EXPECT_THAT(page().policy, HasSubstr("default-src 'none'; style-src 'sha256-"));
}

TEST(DocsPageTest, ThePolicyLetsInNoStyleThatAnybodyCouldAdd) {
  EXPECT_THAT(page().policy, Not(HasSubstr("unsafe")));
}

TEST(DocsPageTest, TextsAreEscapedAndProseIsSetInParagraphs) {
  const std::string html = make_docs_page(kSmallDocument).html;
  EXPECT_THAT(html, HasSubstr("<title>&lt;Small&gt; API</title>"));
  EXPECT_THAT(html, HasSubstr("<p>One <code>code</code> &amp; more</p>\n<p>Two</p>"));
  EXPECT_THAT(html, HasSubstr("Make a &quot;thing&quot;"));
}

TEST(DocsPageTest, AnOperationTellsItsScopeItsParametersAndHowToCallIt) {
  const std::string html = make_docs_page(kSmallDocument).html;
  EXPECT_THAT(html, HasSubstr("needs a key with the scope <b>manage</b>"));
  EXPECT_THAT(html, HasSubstr("<code>limit</code></td><td>query</td><td>whole number, 1 to 100"));
  EXPECT_THAT(html, HasSubstr("curl -X POST http://127.0.0.1:8080/things"));
  EXPECT_THAT(html, HasSubstr("-d &#39;{&quot;name&quot;: &quot;a&quot;}&#39;"));
}

TEST(DocsPageTest, AShapeTellsEachFieldAndThoseWithin) {
  const std::string html = make_docs_page(kSmallDocument).html;
  EXPECT_THAT(html, HasSubstr("<code>name</code></td><td>text, at most 9 characters, or null</td>"
                              "<td>required</td><td>What it is called</td>"));
  EXPECT_THAT(html, HasSubstr("<code>size</code></td><td>object or null</td>"));
  EXPECT_THAT(html, HasSubstr("<code>size.width</code></td><td>whole number</td>"
                              "<td>optional</td>"));
}

TEST(DocsPageTest, AStreamShowsAMessageAsItIsOnTheWireAndIsCalledWithoutABuffer) {
  const std::string html = make_docs_page(R"({
    "info": {"title": "Small", "version": "1"}, "tags": [{"name": "Things"}],
    "paths": {"/tail": {"get": {"operationId": "tail", "tags": ["Things"], "responses": {"200": {
      "description": "Endless", "content": {"text/event-stream": {
        "schema": {"$ref": "#/components/schemas/Message"},
        "example": {"id": "a-1", "data": "{\"n\": 1}"}}}}}}}},
    "components": {"schemas": {"Thing": {"type": "object"}, "Message": {"type": "object",
      "properties": {"data": {"type": "string", "contentMediaType": "application/json",
        "contentSchema": {"$ref": "#/components/schemas/Thing"}}}}}}})")
                               .html;
  EXPECT_THAT(html, HasSubstr("<pre>id: a-1\ndata: {&quot;n&quot;: 1}\n</pre>"));
  EXPECT_THAT(html, HasSubstr("<pre>curl -N http://127.0.0.1:8080/tail</pre>"));
  EXPECT_THAT(
      html,
      HasSubstr(
          "<code>data</code></td><td><a href=\"#Thing\">Thing</a>, as JSON on one line</td>"));
}

TEST(DocsPageTest, RefusalsThatAreTheSameEverywhereAreFoldedUp) {
  const std::string html = make_docs_page(R"({
    "info": {"title": "Small", "version": "1"}, "tags": [{"name": "Things"}],
    "paths": {"/a": {"get": {"operationId": "a", "tags": ["Things"], "responses": {
      "200": {"description": "Good"},
      "404": {"$ref": "#/components/responses/NotFound"}}}}},
    "components": {"responses": {"NotFound": {"description": "Not here"}}}})")
                               .html;
  EXPECT_THAT(html, HasSubstr("<div class=\"answer\"><b>200</b> Good</div>\n"
                              "<details><summary>Refusals: 404</summary>\n"
                              "<div class=\"answer\"><b>404</b> Not here</div>\n</details>"));
  EXPECT_THAT(make_docs_page(kSmallDocument).html, Not(HasSubstr("Refusals")));
}

}  // namespace
}  // namespace api
