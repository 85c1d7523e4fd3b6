// Sessions of browsers, over real loopback HTTP.
#include "cloud-server/admin/login/cookies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/admin/rights/test_rights.h"
#include "cloud-server/rollout/rollout.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;
using testing::Not;

HttpRequest WithCookies(const std::string& header) {
  HttpRequest request;
  request.headers["cookie"] = header;
  return request;
}

TEST(Cookies, TheSessionIsFoundAmongOthers) {
  const CookieSite plain, tls{true, ""};
  EXPECT_EQ(CookieOf(WithCookies("ferry-session=ab"), plain), "ab");
  EXPECT_EQ(CookieOf(WithCookies("a=1;  ferry-session=ab ; b"), plain), "ab");
  EXPECT_EQ(CookieOf(WithCookies("a=1; xferry-session=ab"), plain), "");
  EXPECT_EQ(CookieOf(WithCookies("ferry-session=ab; ferry-session=ab"), plain), "ab");
  EXPECT_EQ(CookieOf(WithCookies("ferry-session=ab; ferry-session=cd"), plain), "");
  // Under TLS only the name counts that no plain page of this host may set.
  EXPECT_EQ(CookieOf(WithCookies("ferry-session=ab"), tls), "");
  EXPECT_EQ(CookieOf(WithCookies("ferry-session=ab; __Host-ferry-session=cd"), tls), "cd");
  EXPECT_EQ(CookieOf(HttpRequest(), plain), "");
}

// A browser sends the cookies of a host to all of its ports.
TEST(Cookies, ServersOfOneHostHaveTheirOwn) {
  AdminOptions one, two;
  one.authority_pin = "sha256:0123456789abcdef";
  two.authority_pin = "sha256:fedcba9876543210";
  const CookieSite first = CookieSiteOf(one), second = CookieSiteOf(two);
  const std::string both = SetCookie("ab", first).substr(0, SetCookie("ab", first).find(';')) +
                           "; " +
                           SetCookie("cd", second).substr(0, SetCookie("cd", second).find(';'));
  EXPECT_EQ(both, "ferry-session-01234567=ab; ferry-session-fedcba98=cd");
  EXPECT_EQ(CookieOf(WithCookies(both), first), "ab");
  EXPECT_EQ(CookieOf(WithCookies(both), second), "cd");
}

TEST(Cookies, AttributesKeepScriptsAndOtherSitesOut) {
  EXPECT_EQ(SetCookie("ab", {}),
            "ferry-session=ab; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict");
  EXPECT_EQ(SetCookie("ab", {true, ""}),
            "__Host-ferry-session=ab; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure");
  EXPECT_THAT(ClearCookie({}), HasSubstr("ferry-session=; Path=/; Max-Age=0;"));
}

// A browser: it keeps the cookie, and the second secret of the page.
struct Browser {
  explicit Browser(RightsFixture& of) : fixture(of) {}
  // The status; `answer` becomes the body.
  int Call(const std::string& method, const std::string& path, const Json& body = Json::object()) {
    httplib::Headers headers = {{"User-Agent", "Browser 1"}};
    if (!cookie.empty()) headers.emplace("Cookie", cookie);
    if (!csrf.empty()) headers.emplace("X-Ferry-CSRF", csrf);
    httplib::Client client = fixture.Client();
    const httplib::Result got = Send(client, method, "/api/v1" + path, headers, WriteJson(body));
    EXPECT_TRUE(got) << path;
    if (!got) return 0;
    const Result<Json> json = ParseJson(got->body);
    answer = json.ok() ? *json : Json();
    set_cookie = got->get_header_value("Set-Cookie");
    if (!set_cookie.empty()) cookie = set_cookie.substr(0, set_cookie.find(';'));
    return got->status;
  }
  int LogIn(const std::string& user, const std::string& password = kTestPassword) {
    csrf.clear();
    const int status =
        Call("POST", "/login", {{"user", user}, {"password", password}, {"cookie", true}});
    csrf = GetStringOr(answer, "csrf", "").ok() ? *GetStringOr(answer, "csrf", "") : "";
    return status;
  }
  std::string Token() const { return cookie.substr(cookie.find('=') + 1); }

  RightsFixture& fixture;
  std::string cookie, csrf, set_cookie;
  Json answer;
};

TEST(Sessions, ALoginWithCookieShowsNoToken) {
  RightsFixture fixture;
  fixture.Add("rolf", "releaser", {"digits*"}, {"eu"});
  Browser browser(fixture);
  EXPECT_EQ(browser.Call("GET", "/session"), 401);
  ASSERT_EQ(browser.LogIn("rolf"), 200);
  EXPECT_THAT(browser.set_cookie, HasSubstr("HttpOnly; SameSite=Strict"));
  EXPECT_THAT(TextOf(browser.answer), Not(HasSubstr(browser.Token())));
  EXPECT_EQ(browser.answer["user"], "rolf");
  EXPECT_EQ(browser.answer["role"], "releaser");
  EXPECT_EQ(browser.answer["expires_ms"], fixture.clock.now_ms + kCookieLifeMs);
  EXPECT_EQ(browser.answer["idle_ms"], kCookieIdleMs);
  const Json login = browser.answer;
  ASSERT_EQ(browser.Call("GET", "/session"), 200);
  for (const char* key : {"user", "role", "csrf", "expires_ms", "idle_ms"})
    EXPECT_EQ(browser.answer[key], login[key]) << key;
  EXPECT_EQ(browser.answer["packages"], Json::array({"digits*"}));
  EXPECT_EQ(browser.answer["groups"], Json::array({"eu"}));
  EXPECT_THAT(TextOf(browser.answer["features"]), HasSubstr("\"sessions\""));
  // What the store holds logs nobody in.
  EXPECT_TRUE(fixture.store
                  ->Read([&](Transaction& tx) -> Status {
                    EXPECT_EQ(tx.access().Session(browser.Token()).code(), Code::kNotFound);
                    return OkStatus();
                  })
                  .ok());
}

// The page begins with what it would ask for first, escaped; strangers and programs get none of it.
TEST(Sessions, ThePageHoldsTheSessionOfItsBrowserAlone) {
  RightsFixture fixture;
  fixture.Add("rolf", "releaser", {"digits*"}, {"eu"});
  Browser browser(fixture);
  ASSERT_EQ(browser.LogIn("rolf"), 200);
  httplib::Client client = fixture.Client();
  const auto page = [&](const httplib::Headers& headers) { return client.Get("/", headers)->body; };
  const std::string mark = "name=\"ferry-session\" content=\"";
  const std::string own = page({{"Cookie", browser.cookie}});
  ASSERT_THAT(own, HasSubstr(mark)) << "the console's page has a place for it";
  EXPECT_THAT(own, HasSubstr(mark + "{&quot;"));
  EXPECT_THAT(own, HasSubstr("&quot;csrf&quot;:&quot;" + browser.csrf + "&quot;"));
  EXPECT_THAT(page({}), HasSubstr(mark + "\""));
  EXPECT_THAT(page({{"Authorization", "Bearer " + fixture.TokenOf("rolf")}}),
              HasSubstr(mark + "\""));
  EXPECT_THAT(page({{"Cookie", browser.cookie}, {"Sec-Fetch-Site", "cross-site"}}),
              HasSubstr(mark + "\""));
  EXPECT_THAT(page({{"Cookie", "ferry-session=abc"}}), HasSubstr(mark + "\""));
}

// Neither stands in for the other: a cookie that was read somewhere is no token for programs.
TEST(Sessions, CookiesAndBearerTokensAreNotExchanged) {
  RightsFixture fixture;
  fixture.Add("vera", "viewer");
  Browser browser(fixture);
  ASSERT_EQ(browser.LogIn("vera"), 200);
  EXPECT_EQ(fixture.Call(browser.Token(), "GET", "/status").first, 401);
  browser.cookie = "ferry-session-00=" + fixture.TokenOf("vera");
  EXPECT_EQ(browser.Call("GET", "/status"), 401);
  const auto [status, session] = fixture.Call(fixture.TokenOf("vera"), "GET", "/session");
  EXPECT_EQ(status, 200);
  EXPECT_EQ(session["user"], "vera");
  EXPECT_FALSE(session.contains("csrf"));
}

TEST(Sessions, WritesByCookieNeedTheSecondSecret) {
  RightsFixture fixture;
  fixture.Add("rolf", "releaser");
  Browser browser(fixture), other(fixture);
  ASSERT_EQ(browser.LogIn("rolf"), 200);
  ASSERT_EQ(other.LogIn("rolf"), 200);
  EXPECT_NE(browser.csrf, other.csrf);
  const std::string own = browser.csrf;
  for (const std::string& wrong : {std::string(), std::string("x"), other.csrf, own + "0"}) {
    browser.csrf = wrong;
    EXPECT_EQ(browser.Call("POST", "/join-tokens"), 403) << wrong;
    EXPECT_EQ(browser.answer["error"]["name"], "permission_denied");
    EXPECT_EQ(browser.answer["error"]["next"], "reload");
    EXPECT_EQ(browser.Call("POST", "/logout"), 403);
    EXPECT_EQ(browser.Call("GET", "/status"), 200);
  }
  EXPECT_EQ(fixture.Call(fixture.token, "GET", "/join-tokens").second["join_tokens"].size(), 0U);
  browser.csrf = own;
  EXPECT_EQ(browser.Call("POST", "/join-tokens"), 200);
}

TEST(Sessions, TheyEndWhenIdleAndAfterAWeek) {
  RightsFixture fixture;
  fixture.Add("vera", "viewer");
  Browser idle(fixture), used(fixture);
  ASSERT_EQ(idle.LogIn("vera"), 200);
  ASSERT_EQ(used.LogIn("vera"), 200);
  const int64_t began_ms = fixture.clock.now_ms;
  fixture.clock.now_ms += kCookieIdleMs - 1;
  EXPECT_EQ(used.Call("GET", "/session"), 200);
  fixture.clock.now_ms += 1;
  EXPECT_EQ(idle.Call("GET", "/session"), 401);
  EXPECT_THAT(TextOf(idle.answer), HasSubstr("expired"));
  while (fixture.clock.now_ms + kCookieIdleMs / 2 < began_ms + kCookieLifeMs) {
    fixture.clock.now_ms += kCookieIdleMs / 2;
    ASSERT_EQ(used.Call("GET", "/session"), 200) << fixture.clock.now_ms - began_ms;
  }
  fixture.clock.now_ms = began_ms + kCookieLifeMs;
  EXPECT_EQ(used.Call("GET", "/session"), 401);
  // The next login clears what has ended away.
  ASSERT_EQ(used.LogIn("vera"), 200);
  ASSERT_EQ(used.Call("GET", "/sessions"), 200);
  EXPECT_EQ(used.answer["sessions"].size(), 1U);
}

TEST(Sessions, ALoginEndsTheSessionThatTheBrowserHad) {
  RightsFixture fixture;
  fixture.Add("vera", "viewer");
  Browser browser(fixture);
  ASSERT_EQ(browser.LogIn("vera"), 200);
  Browser before = browser;
  ASSERT_EQ(browser.LogIn("vera"), 200);
  EXPECT_NE(browser.cookie, before.cookie);
  EXPECT_EQ(before.Call("GET", "/session"), 401);
  EXPECT_EQ(browser.Call("GET", "/session"), 200);
}

TEST(Sessions, LogoutEndsItAndClearsTheCookie) {
  RightsFixture fixture;
  fixture.Add("vera", "viewer");
  Browser browser(fixture);
  ASSERT_EQ(browser.LogIn("vera"), 200);
  Browser copy = browser;
  EXPECT_EQ(browser.Call("POST", "/logout"), 200);
  EXPECT_THAT(browser.set_cookie, HasSubstr("ferry-session-00=; Path=/; Max-Age=0"));
  EXPECT_EQ(copy.Call("GET", "/session"), 401);
}

TEST(Sessions, OnesOwnAreListedAndRevoked) {
  RightsFixture fixture;
  fixture.Add("vera", "viewer");
  fixture.Add("rolf", "releaser");
  Browser here(fixture), there(fixture), of_rolf(fixture);
  ASSERT_EQ(here.LogIn("vera"), 200);
  fixture.clock.now_ms += 1000;
  ASSERT_EQ(there.LogIn("vera"), 200);
  ASSERT_EQ(of_rolf.LogIn("rolf"), 200);
  ASSERT_EQ(here.Call("GET", "/sessions"), 200);
  const Json rows = here.answer["sessions"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["own"], true);
  EXPECT_EQ(rows[1]["own"], false);
  EXPECT_EQ(rows[1]["peer"], "127.0.0.1");
  EXPECT_EQ(rows[1]["agent"], "Browser 1");
  EXPECT_EQ(rows[1]["kind"], "cookie");
  EXPECT_EQ(rows[1]["created_ms"], fixture.clock.now_ms);
  const std::string id = rows[1]["id"];
  EXPECT_EQ(of_rolf.Call("DELETE", "/sessions/" + id), 404);
  EXPECT_EQ(here.Call("DELETE", "/sessions/" + id), 200);
  EXPECT_EQ(here.Call("DELETE", "/sessions/" + id), 404);
  EXPECT_EQ(there.Call("GET", "/session"), 401);
  EXPECT_EQ(here.Call("GET", "/session"), 200);
}

TEST(Sessions, TooManyOfAUserEndTheOldest) {
  RightsFixture fixture;
  fixture.Add("vera", "viewer");
  Browser first(fixture), last(fixture);
  ASSERT_EQ(first.LogIn("vera"), 200);
  EXPECT_TRUE(
      fixture.store
          ->Write([&](Transaction& tx) -> Status {
            const int64_t now_ms = fixture.clock.now_ms;
            for (size_t i = 1; i < kMaxUserCookies; ++i)
              FERRY_TRY(tx.access().PutSession({fmt::format("{:064x}", i), "vera", now_ms + 1,
                                                now_ms + kCookieLifeMs, 0, "vera", true, "", ""}));
            return OkStatus();
          })
          .ok());
  EXPECT_EQ(first.Call("GET", "/session"), 200);
  fixture.clock.now_ms += 1;
  ASSERT_EQ(last.LogIn("vera"), 200);
  EXPECT_EQ(first.Call("GET", "/session"), 401);
  ASSERT_EQ(last.Call("GET", "/sessions"), 200);
  EXPECT_EQ(last.answer["sessions"].size(), kMaxUserCookies);
}

TEST(Sessions, ANewPasswordAndDisablingEndThem) {
  RightsFixture fixture;
  fixture.Add("vera", "viewer");
  Browser browser(fixture);
  ASSERT_EQ(browser.LogIn("vera"), 200);
  ASSERT_TRUE(SetUserPassword(fixture.options, "vera", "another horse battery").ok());
  EXPECT_EQ(browser.Call("GET", "/session"), 401);
  ASSERT_EQ(browser.LogIn("vera", "another horse battery"), 200);
  EXPECT_EQ(fixture.Call(fixture.token, "PUT", "/users/vera", {{"disabled", true}}).first, 200);
  EXPECT_EQ(browser.Call("GET", "/session"), 401);
}

// Whoever reads history asks who it was, not how he had logged in.
TEST(Sessions, HistoryNamesTheUserAfterAOneTimePassword) {
  RightsFixture fixture;
  Browser browser(fixture);
  const std::string once = *MakeOneTimePassword(fixture.options);
  ASSERT_EQ(browser.Call("POST", "/login", {{"password", once}, {"cookie", true}}), 200);
  browser.csrf = browser.answer["csrf"];
  ASSERT_EQ(browser.Call("POST", "/releases",
                         {{"package", "digits"},
                          {"version", "1.0.0"},
                          {"rule", ""},
                          {"stages", {{{"kind", "full"}}}},
                          {"start", true}}),
            200);
  const std::string id = browser.answer["id"];
  ASSERT_EQ(browser.Call("GET", "/releases/" + id), 200);
  EXPECT_THAT(TextOf(browser.answer["events"]), HasSubstr("by admin"));
  EXPECT_THAT(TextOf(browser.answer["events"]), Not(HasSubstr("one-time")));
}

}  // namespace
}  // namespace ferry::server
