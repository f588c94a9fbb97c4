#include "api/docs.h"

#include <string>

#include "api/docs_page.h"
#include "api/openapi.h"

namespace api {

void show_openapi(Backend& /*backend*/, Call& call) {
  call.reply.send({.status = 200, .content_type = kJson, .body = std::string(openapi_text())});
}

void show_docs(Backend& /*backend*/, Call& call) {
  static const DocsPage kPage = make_docs_page(openapi_text());  // when somebody first asks
  http::Response response{
      .status = 200, .content_type = "text/html; charset=utf-8", .body = kPage.html};
  response.add("Content-Security-Policy", kPage.policy);
  response.add("X-Content-Type-Options", "nosniff");
  response.add("Referrer-Policy", "no-referrer");
  call.reply.send(response);
}

}  // namespace api
