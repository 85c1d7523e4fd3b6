// Roles and scopes, over real loopback HTTP.
#include "cloud-server/admin/rights/rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cloud-server/admin/rights/test_rights.h"
#include "cloud-server/admin/routes.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

// "/api/v1/releases/{id}" with something for the names.
std::string Filled(const std::string& pattern) {
  std::string path;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '{') {
      path += pattern[at];
      continue;
    }
    at = pattern.find('}', at);
    path += "x";
  }
  return path.substr(std::string("/api/v1").size());
}

TEST(Rights, EachRouteHasOneRowAndEachRowARoute) {
  Routes routes;
#define FERRY_RESOURCE(name) Add_##name(routes);
#include "cloud-server/admin/resources/list.inc"
#undef FERRY_RESOURCE
  Add_campaigns(routes);
  ASSERT_GT(routes.all().size(), 30u);
  const auto rows_of = [](const Route& route) {
    return std::count_if(AllRouteRights().begin(), AllRouteRights().end(), [&](const auto& row) {
      return route.method == row.method && route.pattern == row.pattern;
    });
  };
  for (const Route& route : routes.all()) {
    EXPECT_EQ(rows_of(route), 1) << route.method << " " << route.pattern;
    const bool asks =  // with more than a query holds
        route.pattern == "/api/v1/releases/preview" || route.pattern == "/api/v1/have";
    if (route.method != "GET" && !asks) {
      EXPECT_TRUE(route.right.changes) << route.pattern;
    }
  }
  for (const RouteRight& row : AllRouteRights())
    EXPECT_TRUE(std::any_of(routes.all().begin(), routes.all().end(),
                            [&](const Route& route) {
                              return route.method == row.method && route.pattern == row.pattern;
                            }))
        << row.method << " " << row.pattern;
  const RouteRight unknown = RightOfRoute("POST", "/api/v1/new");
  EXPECT_EQ(unknown.right, Right::kAdmin);
  EXPECT_TRUE(unknown.changes);
}

TEST(Rights, AViewerChangesNothing) {
  RightsFixture fixture;
  fixture.Add("vera", "viewer");
  fixture.Add("rolf", "releaser");
  fixture.Add("anna", "approver");
  const std::string vera = fixture.TokenOf("vera"), rolf = fixture.TokenOf("rolf"),
                    anna = fixture.TokenOf("anna");
  int changing = 0;
  for (const RouteRight& row : AllRouteRights()) {
    const std::string path = Filled(row.pattern);
    if (!row.changes || path == "/login" || path == "/logout" || path == "/sessions/x") continue;
    ++changing;
    const auto [status, answer] = fixture.Call(vera, row.method, path);
    EXPECT_EQ(status, 403) << row.method << " " << row.pattern;
    EXPECT_THAT(TextOf(answer), HasSubstr("permission_denied")) << row.pattern;
    if (row.right == Right::kAdmin) {
      EXPECT_EQ(fixture.Call(rolf, row.method, path).first, 403) << row.pattern;
      EXPECT_EQ(fixture.Call(anna, row.method, path).first, 403) << row.pattern;
    }
  }
  EXPECT_GT(changing, 15);
  EXPECT_EQ(fixture.Call(vera, "GET", "/status").first, 200);
  EXPECT_EQ(fixture.Call(vera, "GET", "/me").second["role"], "viewer");
  EXPECT_EQ(fixture.Call(vera, "GET", "/users").first, 403);
  EXPECT_EQ(fixture.Call(vera, "POST", "/logout").first, 200);
  EXPECT_EQ(fixture.Call(vera, "GET", "/status").first, 401);
}

TEST(Rights, EachRoleDoesItsOwn) {
  RightsFixture fixture;
  fixture.Add("rolf", "releaser");
  fixture.Add("anna", "approver");
  const std::string rolf = fixture.TokenOf("rolf"), anna = fixture.TokenOf("anna");
  const Json digits = {{"package", "digits"},
                       {"version", "1.0.0"},
                       {"rule", "all"},
                       {"stages", {{{"kind", "full"}}}}};
  EXPECT_EQ(fixture.Call(anna, "POST", "/releases", digits).first, 403);
  const auto [made, release] = fixture.Call(rolf, "POST", "/releases", digits);
  ASSERT_EQ(made, 200) << TextOf(release);
  const std::string at = "/releases/" + release["id"].get<std::string>();
  EXPECT_EQ(fixture.Call(rolf, "POST", at + "/start").first, 200);
  EXPECT_EQ(fixture.Call(anna, "POST", at + "/pause", {{"why", "looks wrong"}}).first, 200);
  EXPECT_EQ(fixture.Call(anna, "POST", at + "/resume").first, 403);
  const auto history = fixture.Call(anna, "GET", at).second;
  EXPECT_THAT(TextOf(history["events"]), HasSubstr("rolf"));
}

// Whose signature it carries is checked later: not even a good one lets an account take back what
// is not in its scope.
TEST(Rights, WithdrawalsAreInScope) {
  RightsFixture fixture;
  fixture.Add("sums", "releaser", {"sums*"});
  fixture.Add("digits", "releaser", {"dig*"});
  std::string path;
  ASSERT_TRUE(fixture.store
                  ->Read([&](Transaction& tx) -> Status {
                    FERRY_ASSIGN_OR_RETURN(const auto all,
                                           tx.packages().Artefacts("digits", "1.0.0"));
                    path = all.front().path;
                    return OkStatus();
                  })
                  .ok());
  const Json targets = {{"signed",
                         {{"targets", Json::object()},
                          {"withdrawn", {{path, {{"package", "digits"}, {"reason", "wrong"}}}}}}}};
  const Json body = {{"targets", ToBase64(AsBytes(WriteJson(targets)))}};
  const auto [denied, text] = fixture.Call(fixture.TokenOf("sums"), "POST", "/packages", body);
  EXPECT_EQ(denied, 403);
  EXPECT_THAT(TextOf(text), HasSubstr("package \\\"digits\\\" is not in the scope of sums"));
  EXPECT_NE(fixture.Call(fixture.TokenOf("digits"), "POST", "/packages", body).first, 403);
}

TEST(Rights, ScopesLimitPackagesAndGroups) {
  RightsFixture fixture;
  fixture.Add("sums", "releaser", {"sums*"});
  fixture.Add("berlin", "releaser", {"dig*"}, {"eu/de"});
  const std::string sums = fixture.TokenOf("sums"), berlin = fixture.TokenOf("berlin");
  const Json digits = {{"package", "digits"},
                       {"version", "1.0.0"},
                       {"rule", "os == \"android\""},
                       {"stages", {{{"kind", "full"}}}}};
  const auto [denied, text] = fixture.Call(sums, "POST", "/releases", digits);
  EXPECT_EQ(denied, 403);
  EXPECT_THAT(TextOf(text), HasSubstr("package \\\"digits\\\" is not in the scope of sums"));

  const auto whole = fixture.Call(fixture.token, "POST", "/releases", digits).second;
  const std::string others = "/releases/" + whole["id"].get<std::string>();
  EXPECT_EQ(fixture.Call(berlin, "POST", others + "/rollback").first, 403);
  EXPECT_EQ(fixture.Call(sums, "POST", others + "/rollback").first, 403);
  EXPECT_EQ(fixture.Call(fixture.token, "POST", others + "/rollback").first, 200);

  const auto [made, own] = fixture.Call(berlin, "POST", "/releases", digits);
  ASSERT_EQ(made, 200) << TextOf(own);
  EXPECT_EQ(own["rule"], "(tag(\"eu/de\")) and (os == \"android\")");
  EXPECT_EQ(
      fixture.Call(berlin, "POST", "/releases/" + own["id"].get<std::string>() + "/start").first,
      200);

  EXPECT_EQ(fixture.Call(berlin, "PUT", "/devices/d1/tags", {{"tags", {"eu/de/x"}}}).first, 403);
  EXPECT_EQ(fixture.Call(fixture.token, "PUT", "/devices/d1/tags", {{"tags", {"eu/de"}}}).first,
            200);
  EXPECT_EQ(fixture.Call(berlin, "PUT", "/devices/d1/tags", {{"tags", {"eu/de/x"}}}).first, 200);
  EXPECT_EQ(fixture.Call(berlin, "PUT", "/devices/d1/tags", {{"tags", {"eu"}}}).first, 403);
  EXPECT_EQ(fixture.Call(berlin, "POST", "/devices/d1/block", {{"blocked", true}}).first, 200);
  EXPECT_EQ(fixture.Call(berlin, "POST", "/devices/d2/block", {{"blocked", true}}).first, 403);
  EXPECT_EQ(fixture.Call(berlin, "POST", "/join-tokens").first, 403);
  EXPECT_EQ(fixture.Call(berlin, "POST", "/join-tokens", {{"tags", {"eu/de"}}}).first, 200);
}

// Signed by whom it may be: a scope limits which new packages a user brings.
TEST(Rights, APublicationStaysInScope) {
  RightsFixture fixture;
  fixture.Add("sums", "releaser", {"sums"});
  fixture.Add("rolf", "releaser", {"digits"});
  fixture.publisher.Add("2.0.0", 2, "package two", "1.0.0");
  const Publication publication = fixture.publisher.Make();
  Json keys = Json::array();
  for (const Publication::Key& key : publication.keys)
    keys.push_back({{"path", key.path},
                    {"enc", ToBase64(key.wrapped.enc)},
                    {"sealed", ToBase64(key.wrapped.sealed)}});
  const Json body = {{"targets", ToBase64(publication.targets)}, {"keys", keys}};
  EXPECT_EQ(fixture.Call(fixture.TokenOf("sums"), "POST", "/packages", body).first, 403);
  const auto [status, answer] = fixture.Call(fixture.TokenOf("rolf"), "POST", "/packages", body);
  EXPECT_EQ(status, 200) << TextOf(answer);
}

TEST(Users, AreMadeChangedDisabledAndDeleted) {
  RightsFixture fixture;
  const std::string& admin = fixture.token;
  const auto [made, user] =
      fixture.Call(admin, "POST", "/users", {{"name", "vera"}, {"role", "viewer"}});
  ASSERT_EQ(made, 200) << TextOf(user);
  EXPECT_EQ(user["packages"], Json({"*"}));
  LoginTries tries;
  const auto log_in = [&](const std::string& password) {
    return LogIn(fixture.options, tries, "192.0.2.1", password, "vera");
  };
  const std::string password = user["password"].get<std::string>();
  ASSERT_TRUE(log_in(password).ok());
  const std::string vera = log_in(password)->token;
  EXPECT_EQ(fixture.Call(admin, "POST", "/users", {{"name", "vera"}, {"role", "viewer"}}).first,
            409);
  for (const Json& bad :
       {Json{{"name", "x y"}, {"role", "viewer"}}, Json{{"name", "x"}, {"role", "king"}},
        Json{{"name", "x"}, {"role", "viewer"}, {"packages", Json::array()}},
        Json{{"name", "x"}, {"role", "viewer"}, {"groups", {"a\"b"}}},
        Json{{"name", "x"}, {"role", "viewer"}, {"password", "short"}}})
    EXPECT_EQ(fixture.Call(admin, "POST", "/users", bad).first, 400) << TextOf(bad);

  // A role that is changed counts at the next call.
  EXPECT_EQ(fixture.Call(vera, "POST", "/join-tokens").first, 403);
  EXPECT_EQ(fixture.Call(admin, "PUT", "/users/vera", {{"role", "releaser"}}).first, 200);
  EXPECT_EQ(fixture.Call(vera, "POST", "/join-tokens").first, 200);

  EXPECT_EQ(
      fixture
          .Call(vera, "PUT", "/users/vera/password", {{"old", "no"}, {"password", kTestPassword}})
          .first,
      403);
  EXPECT_EQ(fixture.Call(vera, "PUT", "/users/admin/password", {{"password", kTestPassword}}).first,
            403);
  EXPECT_EQ(fixture
                .Call(vera, "PUT", "/users/vera/password",
                      {{"old", password}, {"password", kTestPassword}})
                .first,
            200);
  EXPECT_EQ(fixture.Call(vera, "GET", "/me").first, 401);
  ASSERT_TRUE(log_in(kTestPassword).ok());
  const std::string again = log_in(kTestPassword)->token;
  EXPECT_EQ(fixture.Call(admin, "PUT", "/users/vera", {{"disabled", true}}).first, 200);
  EXPECT_EQ(fixture.Call(again, "GET", "/me").first, 401);
  EXPECT_EQ(log_in(kTestPassword).code(), Code::kUnauthenticated);
  EXPECT_EQ(fixture.Call(admin, "PUT", "/users/vera", {{"disabled", false}}).first, 200);
  EXPECT_TRUE(log_in(kTestPassword).ok());
  EXPECT_EQ(fixture.Call(admin, "DELETE", "/users/vera").first, 200);
  EXPECT_EQ(fixture.Call(admin, "GET", "/users/vera").first, 404);
  EXPECT_EQ(log_in(kTestPassword).code(), Code::kUnauthenticated);

  EXPECT_EQ(fixture.Call(admin, "DELETE", "/users/admin").first, 409);
  EXPECT_EQ(fixture.Call(admin, "PUT", "/users/admin", {{"role", "viewer"}}).first, 409);
  EXPECT_EQ(fixture.Call(admin, "PUT", "/users/admin", {{"disabled", true}}).first, 409);
}

TEST(Users, TokensMayWhatBothAllowAndEnd) {
  RightsFixture fixture;
  fixture.Add("rolf", "releaser");
  const std::string rolf = fixture.TokenOf("rolf");
  const Json wanted = {
      {"name", "ci"}, {"role", "releaser"}, {"packages", {"sums"}}, {"valid_ms", 60'000}};
  const auto [made, answer] = fixture.Call(rolf, "POST", "/users/rolf/tokens", wanted);
  ASSERT_EQ(made, 200) << TextOf(answer);
  const std::string token = answer["token"].get<std::string>(),
                    id = answer["id"].get<std::string>();
  EXPECT_EQ(fixture.Call(rolf, "POST", "/users/admin/tokens", wanted).first, 403);
  EXPECT_EQ(
      fixture.Call(rolf, "POST", "/users/rolf/tokens", {{"name", "x"}, {"role", "admin"}}).first,
      403);

  const Json digits = {{"package", "digits"}, {"version", "1.0.0"}, {"rule", "all"}};
  EXPECT_EQ(fixture.Call(token, "POST", "/releases", digits).first, 403) << "its scope";
  EXPECT_EQ(fixture.Call(token, "POST", "/join-tokens").first, 200);
  const auto list = fixture.Call(rolf, "GET", "/users/rolf/tokens").second;
  EXPECT_EQ(list["tokens"][0]["last_used_ms"], fixture.clock.now_ms);
  EXPECT_THAT(TextOf(list), testing::Not(HasSubstr(token)));
  bool stored = true;
  EXPECT_TRUE(fixture.store
                  ->Read([&](Transaction& tx) -> Status {
                    stored = tx.accounts().Token(token).ok();
                    return OkStatus();
                  })
                  .ok());
  EXPECT_FALSE(stored) << "only its hash is";

  // Less for the user is less for its tokens.
  EXPECT_EQ(fixture.Call(fixture.token, "PUT", "/users/rolf", {{"role", "viewer"}}).first, 200);
  EXPECT_EQ(fixture.Call(token, "POST", "/join-tokens").first, 403);
  EXPECT_EQ(fixture.Call(token, "GET", "/status").first, 200);
  fixture.clock.now_ms += 60'000;
  EXPECT_EQ(fixture.Call(token, "GET", "/status").first, 401);
  EXPECT_EQ(fixture.Call(rolf, "DELETE", "/users/rolf/tokens/" + id).first, 200);
  EXPECT_EQ(fixture.Call(rolf, "DELETE", "/users/rolf/tokens/" + id).first, 404);
}

}  // namespace
}  // namespace ferry::server
