// Ids of another tenant, tried on every route that takes one. The routes come from the table: a new
// one is tried without anybody remembering it, and fails here as long as there is no id to try.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/routes.h"
#include "tests/api/api_rig.h"

namespace api {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kName = "{id}";
// An admin acts in every tenant, so that all tenants are his; others may not even ask.
constexpr std::string_view kTenants = "/v1/tenants";

// Two ids of the same form.
struct Ids {
  std::string existing;  // in the first tenant
  std::string nobodys;
};

// The same but for the name of the request.
std::string without_request_id(std::string text) {
  constexpr std::string_view kBegin = "\"request_id\":\"";
  const size_t begin = text.find(kBegin);
  if (begin != std::string::npos) {
    const size_t end = text.find('"', begin + kBegin.size());
    text.erase(begin, end + 1 - begin);
  }
  return text;
}

// "/v1/events" of "/v1/events/{id}/something".
std::string kind_of(const http::Route& route) {
  return std::string(route.path.substr(0, route.path.find(kName) - 1));
}

std::string path_with(const http::Route& route, const std::string& id) {
  std::string path(route.path);
  path.replace(path.find(kName), kName.size(), id);
  return path;
}

class IsolationTest : public ApiRig {
 protected:
  IsolationTest() {
    receivers().keeps_in_flight = true;  // so that there is something to cancel
    const base::SubscriptionId subscription = subscribe("https://receiver.example.com/hook");
    const ApiAnswer published =
        post("/v1/events", R"({"id": "o-1", "type": "order.paid", "payload": 1})");
    const std::string key =
        text_in(post("/v1/keys", R"({"name": "own", "scopes": ["read"]})"), {"id"});
    ids_["/v1/events"] = {"o-1", "o-2"};
    ids_["/v1/deliveries"] = {text_in(published, {"deliveries", "0", "id"}),
                              "dlv_00000000000fff00"};
    ids_["/v1/endpoints"] = {text_in(published, {"deliveries", "0", "endpoint"}),
                             "ep_00000000000000ff"};
    ids_["/v1/subscriptions"] = {text::id_text(subscription), "sub_00000000000000ff"};
    ids_["/v1/keys"] = {key, "key_00000000000000ff"};
    ids_[std::string(kTenants)] = {text_in(get("/v1/tenants"), {"items", "0", "id"}),
                                   "ten_00000000000000ff"};
    make_stranger();
  }

  static std::vector<http::Route> routes_with_id() {
    std::vector<http::Route> found;
    for (const Routes::Row& row : routes().rows()) {
      if (row.route.path.contains('{')) {
        found.push_back(row.route);
      }
    }
    return found;
  }

  const Ids& ids_for(const http::Route& route) {
    CHECK(route.path.contains(kName));
    const auto found = ids_.find(kind_of(route));
    EXPECT_NE(found, ids_.end()) << "say above which id to try on " << route.path;
    return found == ids_.end() ? ids_["/v1/events"] : found->second;
  }

  // The key of the other tenant that may do most without being everybody's admin.
  const std::string& stranger_for(const http::Route& route) const {
    return route.scope == "admin" && kind_of(route) != kTenants ? strange_admin_ : stranger_;
  }

  // With every scope but admin.
  const std::string& stranger() const { return stranger_; }

  ApiAnswer try_as_stranger(const http::Route& route, const std::string& id) {
    return call_as(stranger_for(route), std::string(http::to_word(route.method)),
                   path_with(route, id), route.body_bytes_max > 0 ? "{}" : "");
  }

  std::map<std::string, Ids> ids_;

 private:
  void make_stranger() {
    const base::TenantId own = tenant();
    act_in(make_tenant("other"));
    stranger_ = text_in(
        post("/v1/keys", R"({"name": "all", "scopes": ["publish", "read", "manage"]})"), {"key"});
    strange_admin_ =
        text_in(post("/v1/keys", R"({"name": "admin", "scopes": ["admin"]})"), {"key"});
    act_in(own);
  }

  std::string stranger_;
  std::string strange_admin_;
};

TEST_F(IsolationTest, TheIdsThatAreTriedExist) {
  for (const http::Route& route : routes_with_id()) {
    if (route.method == http::Method::kGet) {
      const ApiAnswer answer = get(path_with(route, ids_for(route).existing));
      EXPECT_EQ(answer.status, 200) << route.path << " " << answer.text;
    }
  }
}

TEST_F(IsolationTest, AForeignIdIsAnsweredLikeOneThatNeverExisted) {
  for (const http::Route& route : routes_with_id()) {
    const std::string name =
        std::string(http::to_word(route.method)) + " " + std::string(route.path);
    const Ids& ids = ids_for(route);
    const ApiAnswer foreign = try_as_stranger(route, ids.existing);
    const ApiAnswer nobodys = try_as_stranger(route, ids.nobodys);
    EXPECT_EQ(foreign.status, kind_of(route) == kTenants ? 403 : 404) << name << foreign.text;
    EXPECT_EQ(foreign.status, nobodys.status) << name;
    EXPECT_EQ(without_request_id(foreign.text), without_request_id(nobodys.text)) << name;
    EXPECT_THAT(foreign.text, HasSubstr("\"error\"")) << name;
  }
}

TEST_F(IsolationTest, WhatAStrangerTriedHasNoEffect) {
  for (const http::Route& route : routes_with_id()) {
    try_as_stranger(route, ids_for(route).existing);
  }
  const ApiAnswer endpoint = get("/v1/endpoints/" + ids_["/v1/endpoints"].existing);
  EXPECT_EQ(endpoint.status, 200);
  EXPECT_FALSE(in(endpoint, {"paused"}).as_bool());
  EXPECT_EQ(size_of(endpoint, {"history"}), 0U);
  const ApiAnswer subscription = get("/v1/subscriptions/" + ids_["/v1/subscriptions"].existing);
  EXPECT_EQ(subscription.status, 200);
  EXPECT_EQ(in(subscription, {"revision"}).as_integer(), 1);
  EXPECT_TRUE(wait_for_state(ids_["/v1/deliveries"].existing, "in_flight"));
  EXPECT_THAT(get("/v1/keys").text, HasSubstr(ids_["/v1/keys"].existing));
  EXPECT_THAT(get("/v1/tenants").text, HasSubstr(ids_[std::string(kTenants)].existing));
}

TEST_F(IsolationTest, AForeignIdInAQueryFindsNothing) {
  const std::string endpoint = "endpoint=" + ids_["/v1/endpoints"].existing;
  const std::string subscription = "subscription=" + ids_["/v1/subscriptions"].existing;
  for (const std::string& query : {endpoint, subscription}) {
    EXPECT_EQ(size_of(get("/v1/deliveries?" + query), {"items"}), 1U) << query;
    const ApiAnswer listed = call_as(stranger(), "GET", "/v1/deliveries?" + query, "");
    EXPECT_EQ(listed.status, 200) << query;
    EXPECT_EQ(size_of(listed, {"items"}), 0U) << query;
    EXPECT_EQ(get("/v1/stats?" + query).status, 200) << query;
    EXPECT_EQ(call_as(stranger(), "GET", "/v1/stats?" + query, "").status, 404) << query;
  }
}

TEST_F(IsolationTest, AKeyDoesNotReachAnotherTenantByNamingIt) {
  const std::string key = "Authorization: Bearer " + stranger() + "\r\n";
  const auto name = [&](const std::string& tenant) {
    return send("GET /v1/subscriptions", key + "Postrider-Tenant: " + tenant + "\r\n", "");
  };
  const Ids& tenants = ids_[std::string(kTenants)];
  const ApiAnswer foreign = name(tenants.existing);
  EXPECT_EQ(foreign.status, 404);
  EXPECT_EQ(without_request_id(foreign.text), without_request_id(name(tenants.nobodys).text));
}

}  // namespace
}  // namespace api
