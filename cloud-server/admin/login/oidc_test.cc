// Users of an issuer, over real loopback HTTP; the issuer answers without a network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/admin/login/cookies.h"
#include "cloud-server/admin/login/oidc_login.h"
#include "cloud-server/admin/rights/test_rights.h"
#include "cloud-server/oidc/test_issuer.h"
#include "common/net/http_head.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct OidcFixture : RightsFixture {
  OidcFixture() {
    oidc::SignInOptions of_issuer;
    of_issuer.client = {oidc::kTestIssuer, "ferry", "", ""};
    of_issuer.name = "Example";
    of_issuer.roles = {{"ml", "releaser", {"digits*"}, {}}, {"staff", "viewer", {"*"}, {}}};
    of_issuer.clock = &clock;
    of_issuer.random = &random;
    of_issuer.fetch = issuer.AsFetcher();
    sign_in = *oidc::SignIn::Make(of_issuer);
    options.sign_in = sign_in.get();
    server.reset();
    server = *AdminServer::Start(options);
  }
  ~OidcFixture() { server.reset(); }

  oidc::TestIssuer issuer;
  std::unique_ptr<oidc::SignIn> sign_in;
};

// A browser that goes to the issuer and comes back.
struct Wanderer {
  explicit Wanderer(OidcFixture& of) : fixture(of) {}
  httplib::Result Get(const std::string& path, const std::string& site = "same-origin") {
    std::string cookies = begun;
    if (!session.empty()) cookies += (cookies.empty() ? "" : "; ") + session;
    // A strict cookie does not come along from elsewhere.
    if (site == "cross-site") cookies = begun;
    httplib::Client client = fixture.Client();
    return client.Get(path, {{"Cookie", cookies}, {"Sec-Fetch-Site", site}});
  }
  void Begin() {
    const httplib::Result got = Get("/api/v1/oidc/start?goal=%23%2Ffleet");
    ASSERT_TRUE(got);
    ASSERT_EQ(got->status, 200) << got->body;
    const std::string set = got->get_header_value("Set-Cookie");
    EXPECT_THAT(set, HasSubstr("; HttpOnly; SameSite=Lax"));
    begun = set.substr(0, set.find(';'));
    const std::string url = *GetString(*ParseJson(got->body), "url");
    std::string path;
    std::map<std::string, std::string> question;
    net::SplitTarget(url.substr(std::string(oidc::kTestIssuer).size()), &path, &question);
    state = question["state"];
    fixture.issuer.claims["nonce"] = question["nonce"];
    fixture.issuer.claims["exp"] = fixture.clock.now_ms / 1000 + 300;
    fixture.issuer.claims["iat"] = fixture.clock.now_ms / 1000;
    return_url = question["redirect_uri"];
  }
  // Where the browser is sent to.
  std::string End() {
    const httplib::Result got = Get("/api/v1/oidc/return?code=c&state=" + state, "cross-site");
    EXPECT_TRUE(got);
    if (!got || got->status != 303) return got ? got->body : "";
    const std::string set = got->get_header_value("Set-Cookie");
    if (set.starts_with("ferry-session")) session = set.substr(0, set.find(';'));
    set_cookie = set;
    return got->get_header_value("Location");
  }
  std::string SignIn() {
    Begin();
    return End();
  }
  Json Session() {
    const httplib::Result got = Get("/api/v1/session");
    const Result<Json> json = ParseJson(got->body);
    return got->status == 200 && json.ok() ? *json : Json();
  }

  OidcFixture& fixture;
  std::string begun, session, state, return_url, set_cookie;
};

Json RowsOf(RightsFixture& fixture, const std::string& user) {
  return fixture.Call(fixture.token, "GET", "/audit?user=" + user).second["rows"];
}

TEST(Oidc, AServerWithoutAnIssuerOffersNone) {
  RightsFixture fixture;
  EXPECT_TRUE(fixture.Call(fixture.token, "GET", "/oidc").second["name"].is_null());
  EXPECT_EQ(fixture.Call(fixture.token, "GET", "/oidc/start").first, 404);
  EXPECT_EQ(fixture.Call(fixture.token, "GET", "/oidc/return").first, 404);
  EXPECT_THAT(TextOf(fixture.Call(fixture.token, "GET", "/status").second["features"]),
              Not(HasSubstr("oidc")));
}

TEST(Oidc, WhoComesBackHasASessionARoleAndARowOfTheLog) {
  OidcFixture fixture;
  EXPECT_EQ(fixture.Call(fixture.token, "GET", "/oidc").second["name"], "Example");
  Wanderer vera(fixture);
  EXPECT_EQ(vera.SignIn(), "/#/fleet");
  EXPECT_EQ(vera.return_url,
            fmt::format("http://127.0.0.1:{}/api/v1/oidc/return", fixture.server->port()));
  EXPECT_THAT(vera.set_cookie, HasSubstr("SameSite=Strict"));
  const Json session = vera.Session();
  EXPECT_EQ(session["user"], "vera");
  EXPECT_EQ(session["role"], "releaser");
  EXPECT_EQ(session["packages"], Json::array({"digits*"}));
  EXPECT_THAT(TextOf(session["features"]), HasSubstr("\"oidc\""));
  EXPECT_EQ(session["expires_ms"], fixture.clock.now_ms + kOidcSessionMs);
  const Json user = fixture.Call(fixture.token, "GET", "/users/vera").second;
  EXPECT_EQ(user["oidc"], true);
  const Json rows = RowsOf(fixture, "vera");
  ASSERT_EQ(rows.size(), 1U) << TextOf(rows);
  EXPECT_EQ(rows[0]["outcome"], "done");
  EXPECT_EQ(rows[0]["target"], "https://issuer.example 1234");
  EXPECT_EQ(rows[0]["reason"], "signed in by OIDC");
  EXPECT_EQ(vera.End(), "/?refused=stale");  // the code is replayed
}

TEST(Oidc, TheNextSignInBringsTheNewRoleAndEndsTheSessionBefore) {
  OidcFixture fixture;
  Wanderer vera(fixture);
  ASSERT_EQ(vera.SignIn(), "/#/fleet");
  Wanderer before = vera;
  fixture.issuer.claims["groups"] = Json::array({"staff"});
  fixture.issuer.claims["preferred_username"] = "vera.new";  // she is known by her subject
  ASSERT_EQ(vera.SignIn(), "/#/fleet");
  EXPECT_EQ(vera.Session()["user"], "vera");
  EXPECT_EQ(vera.Session()["role"], "viewer");
  EXPECT_TRUE(before.Session().is_null());
  EXPECT_EQ(RowsOf(fixture, "vera").size(), 2U);
}

TEST(Oidc, WhoHasNoRoleAnyMoreIsSignedOut) {
  OidcFixture fixture;
  Wanderer vera(fixture), elsewhere(fixture);
  ASSERT_EQ(vera.SignIn(), "/#/fleet");
  fixture.issuer.claims["groups"] = Json::array({"sales"});
  EXPECT_EQ(elsewhere.SignIn(), "/?refused=role#/fleet");
  EXPECT_THAT(elsewhere.set_cookie, StartsWith("ferry-begun-00=;"));
  EXPECT_TRUE(vera.Session().is_null());
  const Json rows = RowsOf(fixture, "vera");
  ASSERT_EQ(rows.size(), 2U) << TextOf(rows);
  EXPECT_EQ(rows[1]["outcome"], "refused");
  const Json told = fixture.Call(fixture.token, "GET", "/oidc?refused=role").second;
  EXPECT_THAT(TextOf(told["refused"]), HasSubstr("you have no role on this server"));
  EXPECT_TRUE(fixture.Call(fixture.token, "GET", "/oidc?refused=x").second["refused"].is_null());
}

TEST(Oidc, DisabledUsersAndNamesOfOthersAreRefused) {
  OidcFixture fixture;
  fixture.Add("rolf", "admin");
  Wanderer vera(fixture);
  ASSERT_EQ(vera.SignIn(), "/#/fleet");
  EXPECT_EQ(fixture.Call(fixture.token, "PUT", "/users/vera", {{"disabled", true}}).first, 200);
  EXPECT_TRUE(vera.Session().is_null());
  EXPECT_EQ(vera.SignIn(), "/?refused=disabled#/fleet");
  // Neither a user with a password nor another one of the issuer gives its name away.
  for (const char* name : {"rolf", "admin", "vera"}) {
    fixture.issuer.claims["sub"] = "99";
    fixture.issuer.claims["preferred_username"] = name;
    EXPECT_EQ(vera.SignIn(), "/?refused=taken#/fleet") << name;
  }
  fixture.issuer.claims["preferred_username"] = "no name";
  EXPECT_EQ(vera.SignIn(), "/?refused=name#/fleet");
  EXPECT_EQ(fixture.Call(fixture.token, "GET", "/users/rolf").second["role"], "admin");
}

TEST(Oidc, WhatTheIssuerSaysIsNotChangedHere) {
  OidcFixture fixture;
  Wanderer vera(fixture);
  ASSERT_EQ(vera.SignIn(), "/#/fleet");
  const std::string& admin = fixture.token;
  EXPECT_EQ(fixture.Call(admin, "PUT", "/users/vera/password").first, 409);
  EXPECT_EQ(fixture.Call(admin, "PUT", "/users/vera", {{"role", "admin"}}).first, 409);
  EXPECT_EQ(fixture.Call(admin, "PUT", "/users/vera", {{"packages", {"*", "a"}}}).first, 409);
  EXPECT_EQ(fixture.Call(admin, "PUT", "/users/vera", {{"role", "releaser"}}).first, 200);
  const auto [status, answer] =
      fixture.Call(admin, "POST", "/login", {{"user", "vera"}, {"password", "x"}});
  EXPECT_EQ(status, 401) << TextOf(answer);
  EXPECT_EQ(fixture.Call(admin, "DELETE", "/users/vera").first, 200);
  EXPECT_EQ(vera.SignIn(), "/#/fleet");  // and is made anew
}

TEST(Oidc, AStrangersReturnLeavesNoRowAndOthersCallsStayRefused) {
  OidcFixture fixture;
  const size_t rows = fixture.Call(fixture.token, "GET", "/audit").second["rows"].size();
  Wanderer vera(fixture), other(fixture);
  vera.Begin();
  other.state = vera.state;
  EXPECT_EQ(other.End(), "/?refused=stale");
  EXPECT_EQ(vera.Get("/api/v1/oidc/start", "cross-site")->status, 403);
  EXPECT_EQ(vera.Get("/api/v1/oidc", "cross-site")->status, 403);
  EXPECT_EQ(fixture.Call(fixture.token, "GET", "/audit").second["rows"].size(), rows);
  for (int i = 0; i < kMaxLoginFailures; ++i) other.End();
  EXPECT_EQ(other.End(), "/?refused=busy");
}

TEST(Oidc, RolesOfTheMappingAreThoseOfThisServer) {
  oidc::SignInOptions mapping;
  mapping.roles = {{"ml", "boss", {"*"}, {}}};
  EXPECT_THAT(CheckOidcRoles(mapping).message(), HasSubstr("\"ml\": role \"boss\""));
  mapping.roles = {{"ml", "viewer", {"a b"}, {}}};
  EXPECT_THAT(CheckOidcRoles(mapping).message(), HasSubstr("packages"));
  mapping.roles = {{"ml", "viewer", {"*"}, {"eu"}}};
  EXPECT_TRUE(CheckOidcRoles(mapping).ok());
}

}  // namespace
}  // namespace ferry::server
