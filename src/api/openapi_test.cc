// The description of the API and the table of routes say the same.

#include "api/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/routes.h"
#include "api/schema_page.h"
#include "http/path_tree.h"
#include "match/json.h"

namespace api {
namespace {

using match::JsonKind;
using match::JsonMember;
using match::JsonValue;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string text_of(JsonValue value) {
  return value.kind() == JsonKind::kString ? std::string(value.as_string()) : "(no text)";
}

std::string method_key(http::Method method) {
  std::string word(http::to_word(method));
  for (char& c : word) {
    c = static_cast<char>(c - 'A' + 'a');
  }
  return word;
}

std::string name_of(const http::Route& route) {
  return std::string(http::to_word(route.method)) + " " + std::string(route.path);
}

std::vector<http::Route> all_routes() {
  std::vector<http::Route> all;
  for (const Routes::Row& row : routes().rows()) {
    all.push_back(row.route);
  }
  return all;
}

// What the document gets wrong about one route.
void compare(const http::Route& route, JsonValue operation, std::vector<std::string>& problems) {
  const auto expect = [&](bool holds, std::string_view what) {
    if (!holds) {
      problems.push_back(name_of(route) + ": " + std::string(what));
    }
  };
  if (operation.kind() != JsonKind::kObject) {
    expect(false, "is not described");
    return;
  }
  const JsonValue limit = operation.find("x-body-bytes-max");
  expect(text_of(operation.find("summary")) == route.summary, "has another summary");
  expect(text_of(operation.find("x-scope")) == route.scope, "has another x-scope");
  expect(limit.kind() == JsonKind::kInteger &&
             static_cast<size_t>(limit.as_integer()) == route.body_bytes_max,
         "has another x-body-bytes-max");
}

// Both directions.
std::vector<std::string> find_differences(const std::vector<http::Route>& table,
                                          JsonValue document) {
  std::vector<std::string> problems;
  std::set<std::string> known;
  const JsonValue paths = document.find("paths");
  for (const http::Route& route : table) {
    const std::string key = method_key(route.method);
    known.insert(std::string(route.path) + " " + key);
    compare(route, paths.find(route.path).find(key), problems);
  }
  for (const JsonMember path : paths.members()) {
    for (const JsonMember method : path.value.members()) {
      const std::string name = std::string(path.key) + " " + std::string(method.key);
      if (!known.contains(name)) {
        problems.push_back(name + ": is described, and is not in the table");
      }
    }
  }
  return problems;
}

class OpenApiTest : public ::testing::Test {
 protected:
  OpenApiTest() : document_(parser_.parse(openapi_text()).value()) {}

  // Calls use(name, operation) for every operation.
  void for_each_operation(const std::function<void(const std::string&, JsonValue)>& use) const {
    for (const JsonMember path : document_.find("paths").members()) {
      for (const JsonMember method : path.value.members()) {
        use(std::string(method.key) + " " + std::string(path.key), method.value);
      }
    }
  }

  JsonValue resolve(JsonValue value) const { return resolved(document_, value); }

  match::JsonParser parser_;
  JsonValue document_;
};

TEST_F(OpenApiTest, TableAndDocumentAgreeInBothDirections) {
  EXPECT_THAT(find_differences(all_routes(), document_), IsEmpty());
}

TEST_F(OpenApiTest, ANewRouteWithoutADescriptionIsNoticed) {
  std::vector<http::Route> table = all_routes();
  table.push_back({http::Method::kGet, "/v1/novelties", "read", "What is new", 0});
  EXPECT_THAT(find_differences(table, document_),
              ElementsAre("GET /v1/novelties: is not described"));
}

TEST_F(OpenApiTest, ADescriptionWithoutARouteIsNoticed) {
  std::vector<http::Route> table = all_routes();
  table.pop_back();
  EXPECT_THAT(find_differences(table, document_),
              ElementsAre(HasSubstr("is described, and is not in the table")));
}

TEST_F(OpenApiTest, ARouteThatChangedItsScopeSummaryOrLimitIsNoticed) {
  std::vector<http::Route> table = all_routes();
  table.front().scope = "admin";
  table.front().summary = "Something else";
  table.front().body_bytes_max += 1;
  EXPECT_EQ(find_differences(table, document_).size(), 3U);
}

TEST_F(OpenApiTest, ARouteNeedsAKeyUnlessItHasNoScope) {
  for_each_operation([&](const std::string& name, JsonValue operation) {
    const JsonValue security = operation.find("security");
    const bool is_open = security.kind() == JsonKind::kArray && security.size() == 0;
    EXPECT_EQ(is_open, text_of(operation.find("x-scope")).empty()) << name;
  });
  EXPECT_EQ(document_.find("security").size(), 1U);
}

TEST_F(OpenApiTest, EveryNameInAPathIsAParameter) {
  for (const http::Route& route : all_routes()) {
    const JsonValue operation =
        document_.find("paths").find(route.path).find(method_key(route.method));
    std::vector<std::string> named;
    for (const JsonValue parameter : operation.find("parameters").elements()) {
      if (text_of(resolve(parameter).find("in")) == "path") {
        named.push_back(text_of(resolve(parameter).find("name")));
      }
    }
    const auto names = http::PathTree::names_of(route.path);
    EXPECT_EQ(named, std::vector<std::string>(names.begin(), names.end())) << name_of(route);
  }
}

TEST_F(OpenApiTest, WhatTakesABodyDescribesItAndRefusesUnknownFields) {
  for_each_operation([&](const std::string& name, JsonValue operation) {
    const JsonValue body = operation.find("requestBody");
    const bool takes_body = operation.find("x-body-bytes-max").as_integer() > 0;
    ASSERT_EQ(takes_body, body.kind() == JsonKind::kObject) << name;
    if (takes_body) {
      const JsonValue media = body.find("content").find("application/json");
      const JsonValue closed = resolve(media.find("schema")).find("additionalProperties");
      EXPECT_TRUE(closed.kind() == JsonKind::kBool && !closed.as_bool()) << name;
      EXPECT_EQ(media.find("example").kind(), JsonKind::kObject) << name;
    }
  });
}

TEST_F(OpenApiTest, EveryRefusalHasTheOneShape) {
  for_each_operation([&](const std::string& name, JsonValue operation) {
    std::vector<std::string> statuses;
    for (const JsonMember response : operation.find("responses").members()) {
      statuses.emplace_back(response.key);
      if (response.key >= "400") {
        const JsonValue content = resolve(response.value).find("content");
        const JsonValue schema = content.find("application/json").find("schema");
        EXPECT_EQ(text_of(schema.find("$ref")), "#/components/schemas/Error")
            << name << " " << response.key;
      }
    }
    EXPECT_THAT(statuses, Contains("400")) << name;
    EXPECT_THAT(statuses, Contains("503")) << name;
    const bool needs_key = !text_of(operation.find("x-scope")).empty();
    EXPECT_EQ(operation.find("responses").find("401").kind() == JsonKind::kObject, needs_key)
        << name;
  });
}

TEST_F(OpenApiTest, NoTwoOperationsHaveTheSameId) {
  std::set<std::string> ids;
  for_each_operation([&](const std::string& name, JsonValue operation) {
    EXPECT_TRUE(ids.insert(text_of(operation.find("operationId"))).second) << name;
  });
}

TEST_F(OpenApiTest, EveryReferenceLeadsSomewhere) {
  size_t count = 0;
  const std::function<void(JsonValue)> follow = [&](JsonValue value) {
    if (value.find("$ref").kind() == JsonKind::kString) {
      ++count;
      EXPECT_EQ(resolve(value).kind(), JsonKind::kObject) << text_of(value.find("$ref"));
    }
    for (const JsonValue element : value.elements()) {
      follow(element);
    }
    for (const JsonMember member : value.members()) {
      follow(member.value);
    }
  };
  follow(document_);
  EXPECT_GT(count, 100U);
}

}  // namespace
}  // namespace api
