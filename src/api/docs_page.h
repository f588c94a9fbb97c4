// The API page: the OpenAPI document as one HTML page for people who have never seen the code. It
// needs nothing else, no script and no second file, and its policy tells browsers so.
#pragma once

#include <string>
#include <string_view>

namespace api {

struct DocsPage {
  std::string html;
  std::string policy;  // the value of Content-Security-Policy
};

// `openapi` is a document as src/api/openapi.json is one; a text that is no JSON is a mistake of
// ours.
DocsPage make_docs_page(std::string_view openapi);

}  // namespace api
