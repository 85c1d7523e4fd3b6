// The whole way to an issuer and back, without a network.
#include "cloud-server/oidc/sign_in.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/oidc/test_issuer.h"
#include "common/net/http_head.h"

namespace ferry::server::oidc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class IssuerClock : public sys::Clock {
 public:
  int64_t NowUnixMs() const override { return now_ms; }
  int64_t MonotonicNs() const override { return now_ms * 1'000'000; }
  int64_t now_ms = kTestNowMs;
};

constexpr const char* kReturn = "https://ferry.example/api/v1/oidc/return";

struct SignInFixture {
  SignInFixture() { Make(); }
  void Make(const std::function<void(SignInOptions*)>& change = {}) {
    SignInOptions options;
    options.client = {kTestIssuer, "ferry", "s3cret/", ""};
    options.name = "Example";
    options.roles = {{"ml", "releaser", {"digits*"}, {"eu"}}, {"staff", "viewer", {"*"}, {}}};
    options.clock = &clock;
    options.random = &random;
    options.fetch = issuer.AsFetcher();
    if (change) change(&options);
    Result<std::unique_ptr<SignIn>> made = SignIn::Make(options);
    ASSERT_TRUE(made.ok()) << made.status().ToString();
    sign_in = std::move(*made);
  }
  // Goes to the issuer, which will answer for this nonce.
  void Begin(const std::string& peer = "192.0.2.1") {
    const Result<SignIn::Begun> begun = sign_in->Begin({peer, "#/fleet", kReturn, "hash"});
    ASSERT_TRUE(begun.ok()) << begun.status().ToString();
    browser = begun->browser;
    std::string path;
    net::SplitTarget(begun->url.substr(std::string(kTestIssuer).size()), &path, &question);
    issuer.claims["nonce"] = question["nonce"];
  }
  SignIn::Ended End(std::map<std::string, std::string> query = {}) {
    query.emplace("state", question["state"]);
    query.emplace("code", "c0de");
    return sign_in->End(query, browser);
  }

  IssuerClock clock;
  sys::SeededRandom random{5};
  TestIssuer issuer;
  std::unique_ptr<SignIn> sign_in;
  std::map<std::string, std::string> question;
  std::string browser;
};

TEST(SignIn, WhoComesBackIsKnownWithRoleAndScope) {
  SignInFixture fixture;
  fixture.Begin();
  EXPECT_EQ(fixture.question["response_type"], "code");
  EXPECT_EQ(fixture.question["client_id"], "ferry");
  EXPECT_EQ(fixture.question["redirect_uri"], kReturn);
  EXPECT_EQ(fixture.question["scope"], "openid profile email");
  EXPECT_EQ(fixture.question["code_challenge_method"], "S256");
  const SignIn::Ended ended = fixture.End();
  EXPECT_EQ(ended.refusal, Refusal::kNone) << ended.why.ToString();
  EXPECT_EQ(ended.goal, "#/fleet");
  EXPECT_EQ(ended.session_sha256, "hash");
  EXPECT_EQ(ended.person.subject, "https://issuer.example 1234");
  EXPECT_EQ(ended.person.name, "vera");
  EXPECT_EQ(ended.person.role.role, "releaser");
  EXPECT_THAT(ended.person.role.packages, ElementsAre("digits*"));
}

TEST(SignIn, TheCodeGoesWithItsVerifierAndTheClientsSecret) {
  SignInFixture fixture;
  fixture.Begin();
  ASSERT_EQ(fixture.End().refusal, Refusal::kNone);
  std::map<std::string, std::string> form;
  std::string path, authorization;
  for (const FetchRequest& request : fixture.issuer.asked) {
    if (!request.url.ends_with("/token")) continue;
    net::SplitTarget("/?" + request.form, &path, &form);
    authorization = request.authorization;
  }
  EXPECT_EQ(form["code"], "c0de");
  EXPECT_EQ(form["redirect_uri"], kReturn);
  EXPECT_EQ(ToBase64Url(crypto::Sha256(AsBytes(form["code_verifier"]))),
            fixture.question["code_challenge"]);
  EXPECT_EQ(form["code_verifier"].size(), 43U);
  EXPECT_EQ(form.count("client_secret"), 0U);
  EXPECT_EQ(authorization, "Basic " + ToBase64(AsBytes(std::string_view("ferry:s3cret%2F"))));
}

TEST(SignIn, AStateIsOfOneBrowserOnceAndForAWhile) {
  SignInFixture fixture;
  fixture.Begin();
  const std::string own = fixture.browser;
  for (const std::string& other : {std::string(), std::string("x"), own + "x"}) {
    fixture.browser = other;
    const SignIn::Ended ended = fixture.End();
    EXPECT_EQ(ended.refusal, Refusal::kStale);
    EXPECT_FALSE(ended.known);
  }
  fixture.browser = own;
  EXPECT_EQ(fixture.End({{"state", "x"}}).refusal, Refusal::kStale);
  EXPECT_EQ(fixture.issuer.Asked("/token"), 0);
  EXPECT_EQ(fixture.End().refusal, Refusal::kNone);
  EXPECT_EQ(fixture.End().refusal, Refusal::kStale);  // the code is replayed
  EXPECT_EQ(fixture.issuer.Asked("/token"), 1);
  fixture.Begin();
  fixture.clock.now_ms += kBegunMs;
  EXPECT_EQ(fixture.End().refusal, Refusal::kStale);
}

TEST(SignIn, WhatTheIssuerRefusesIsRefused) {
  SignInFixture fixture;
  fixture.Begin();
  EXPECT_EQ(fixture.End({{"error", "access_denied"}}).refusal, Refusal::kDenied);
  fixture.Begin();
  EXPECT_EQ(fixture.End({{"code", ""}}).refusal, Refusal::kDenied);
  fixture.Begin();
  EXPECT_EQ(fixture.End({{"iss", "https://other.example"}}).refusal, Refusal::kToken);
  fixture.issuer.token_status = 400;
  fixture.Begin();
  const SignIn::Ended refused = fixture.End();
  EXPECT_EQ(refused.refusal, Refusal::kToken);
  EXPECT_THAT(refused.why.message(), HasSubstr("HTTP status 400 (invalid_grant)"));
  fixture.issuer.token_status = 502;
  fixture.Begin();
  EXPECT_EQ(fixture.End().refusal, Refusal::kProvider);
}

TEST(SignIn, AnIssuerThatNamesItselfDoesSoAlways) {
  SignInFixture fixture;
  fixture.issuer.document["authorization_response_iss_parameter_supported"] = true;
  fixture.Begin();
  EXPECT_EQ(fixture.End().refusal, Refusal::kToken);
  fixture.Begin();
  EXPECT_EQ(fixture.End({{"iss", kTestIssuer}}).refusal, Refusal::kNone);
}

TEST(SignIn, ATokenOfAnotherSignInIsRefused) {
  SignInFixture fixture;
  fixture.Begin();
  fixture.issuer.claims["nonce"] = "other";
  const SignIn::Ended ended = fixture.End();
  EXPECT_EQ(ended.refusal, Refusal::kToken);
  EXPECT_THAT(ended.why.message(), HasSubstr("nonce"));
}

TEST(SignIn, NewKeysAreLookedFor) {
  SignInFixture fixture;
  fixture.Begin();
  ASSERT_EQ(fixture.End().refusal, Refusal::kNone);
  EXPECT_EQ(fixture.issuer.Asked("/keys"), 1);
  fixture.issuer.keys = {TestKey("k2", "RS256")};
  fixture.Begin();
  const SignIn::Ended ended = fixture.End();
  EXPECT_EQ(ended.refusal, Refusal::kNone) << ended.why.ToString();
  EXPECT_EQ(fixture.issuer.Asked("/keys"), 2);
}

TEST(SignIn, AnUnknownKeyIsAskedForOnce) {
  TestIssuer issuer;
  IssuerClock clock;
  Issuer one({kTestIssuer, "ferry", "", ""}, clock, issuer.AsFetcher());
  issuer.claims["nonce"] = "n";
  EXPECT_TRUE(one.Check(issuer.keys[0].Token(issuer.claims), "n").ok());
  const std::string stranger = TestKey("z", "ES256").Token(issuer.claims);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(one.Check(stranger, "n").code(), Code::kNotFound);
  EXPECT_EQ(issuer.Asked("/keys"), 2);
  clock.now_ms += kKeysPauseMs;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(one.Check(stranger, "n").code(), Code::kNotFound);
  EXPECT_EQ(issuer.Asked("/keys"), 3);
}

TEST(SignIn, ClaimsThatTheTokenLacksAreAskedFor) {
  SignInFixture fixture;
  fixture.issuer.claims.erase("groups");
  fixture.issuer.more = {
      {"sub", "1234"}, {"groups", Json::array({"staff"})}, {"preferred_username", "eve"}};
  fixture.Begin();
  SignIn::Ended ended = fixture.End();
  EXPECT_EQ(ended.refusal, Refusal::kNone) << ended.why.ToString();
  EXPECT_EQ(ended.person.role.role, "viewer");
  EXPECT_EQ(ended.person.name, "vera");  // the token's word comes first
  fixture.issuer.more["sub"] = "1235";
  fixture.Begin();
  EXPECT_EQ(fixture.End().refusal, Refusal::kProvider);
}

TEST(SignIn, WithoutARoleOrANameNobodyIsSignedIn) {
  SignInFixture fixture;
  fixture.issuer.claims["groups"] = Json::array({"sales"});
  fixture.Begin();
  const SignIn::Ended ended = fixture.End();
  EXPECT_EQ(ended.refusal, Refusal::kRole);
  EXPECT_EQ(ended.person.subject, "https://issuer.example 1234");
  fixture.Make([](SignInOptions* options) {
    options->roles.push_back({"*", "viewer", {"*"}, {}});
  });
  fixture.Begin();
  EXPECT_EQ(fixture.End().person.role.role, "viewer");
  fixture.Make([](SignInOptions* options) { options->user_claim = "email"; });
  fixture.issuer.claims["email"] = "v@example.org";
  fixture.issuer.claims["email_verified"] = false;
  fixture.issuer.claims["groups"] = Json::array({"staff"});
  fixture.Begin();
  EXPECT_EQ(fixture.End().refusal, Refusal::kName);
}

TEST(SignIn, AnIssuerThatIsAwayIsNotAskedByEachCall) {
  SignInFixture fixture;
  fixture.issuer.away = true;
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(fixture.sign_in->Begin({"192.0.2.1", "", kReturn, ""}).code(), Code::kUnavailable);
  EXPECT_EQ(fixture.issuer.asked.size(), 1U);
  fixture.clock.now_ms += kFailedPauseMs;
  fixture.issuer.away = false;
  fixture.Begin();
  // What was read holds while the issuer is away for a moment.
  fixture.clock.now_ms += kDocumentLifeMs;
  fixture.issuer.away = true;
  fixture.Begin();
}

TEST(SignIn, ADocumentOfAnotherIssuerIsNotBelieved) {
  const auto look = [](const std::function<void(Json*)>& change) {
    Json document = TestIssuer().document;
    change(&document);
    return ParseDiscovery(WriteJson(document), kTestIssuer).status();
  };
  EXPECT_TRUE(look([](Json*) {}).ok());
  EXPECT_THAT(look([](Json* json) { (*json)["issuer"] = "https://issuer.example/"; }).message(),
              HasSubstr("to the letter"));
  EXPECT_THAT(look([](Json* json) { (*json)["token_endpoint"] = "http://x/t"; }).message(),
              HasSubstr("token_endpoint: \"http://x/t\": http is for loopback only"));
  EXPECT_THAT(look([](Json* json) { (*json)["jwks_uri"] = "file:///etc/passwd"; }).message(),
              HasSubstr("jwks_uri"));
  EXPECT_THAT(look([](Json* json) {
                (*json)["code_challenge_methods_supported"] = Json::array({"plain"});
              }).message(),
              HasSubstr("PKCE"));
}

TEST(SignIn, WaitingOnesAreLimited) {
  SignInFixture fixture;
  fixture.Begin("192.0.2.7");
  const auto first = fixture.question;
  const std::string browser = fixture.browser;
  for (size_t i = 0; i < kMaxBegunOfAddress; ++i) {
    fixture.clock.now_ms += 1;
    fixture.Begin("192.0.2.9");
  }
  // One address' many do not push out another's.
  fixture.issuer.claims["nonce"] = first.at("nonce");
  EXPECT_EQ(fixture.sign_in->End({{"state", first.at("state")}, {"code", "c"}}, browser).refusal,
            Refusal::kNone);
  fixture.Begin("192.0.2.8");
  const std::string state = fixture.question["state"], own = fixture.browser;
  for (size_t i = 0; i < kMaxBegunOfAddress; ++i) {
    fixture.clock.now_ms += 1;
    fixture.Begin("192.0.2.8");
  }
  EXPECT_EQ(fixture.sign_in->End({{"state", state}, {"code", "c"}}, own).refusal, Refusal::kStale);
}

TEST(SignIn, GoalsLeadIntoTheConsoleOnly) {
  SignInFixture fixture;
  for (const char* wrong : {"https://evil.example", "//evil.example", "/x", "#x", "#/a b", "#/\n"})
    EXPECT_EQ(fixture.sign_in->Begin({"192.0.2.1", wrong, kReturn, ""}).code(),
              Code::kInvalidArgument)
        << wrong;
}

TEST(Roles, RowsAreReadAndTheFirstThatFitsCounts) {
  const Result<RoleRow> row = ParseRoleRow("CN=ml,DC=x=releaser;packages=a*,b;groups=eu/de");
  ASSERT_TRUE(row.ok()) << row.status().ToString();
  EXPECT_EQ(*row, (RoleRow{"CN=ml,DC=x", "releaser", {"a*", "b"}, {"eu/de"}}));
  EXPECT_EQ(*ParseRoleRow("*=viewer"), (RoleRow{"*", "viewer", {"*"}, {}}));
  for (const char* wrong : {"", "x", "=viewer", "x=", "x=viewer;", "x=viewer;tags=a"})
    EXPECT_EQ(ParseRoleRow(wrong).code(), Code::kInvalidArgument) << wrong;
  const std::vector<RoleRow> rows = {{"a", "admin", {"*"}, {}}, {"b", "viewer", {"*"}, {}}};
  EXPECT_EQ(RoleOf(rows, {"b", "a"})->role, "admin");
  EXPECT_FALSE(RoleOf(rows, {"A"}).has_value());
}

TEST(SignInOptions, WhatIsWrongIsNamed) {
  const auto wrong = [](const std::function<void(SignInOptions*)>& change) {
    IssuerClock clock;
    SignInOptions options;
    options.client = {kTestIssuer, "ferry", "", ""};
    options.name = "Example";
    options.roles = {{"a", "viewer", {"*"}, {}}};
    options.clock = &clock;
    change(&options);
    return SignIn::Make(options).status().message();
  };
  EXPECT_EQ(wrong([](SignInOptions*) {}), "");
  EXPECT_THAT(wrong([](SignInOptions* o) { o->client.issuer = "http://issuer.example"; }),
              HasSubstr("http is for loopback only"));
  EXPECT_EQ(wrong([](SignInOptions* o) { o->client.issuer = "http://127.0.0.1:8000/x"; }), "");
  EXPECT_THAT(wrong([](SignInOptions* o) { o->client.id = ""; }), HasSubstr("client: missing"));
  EXPECT_THAT(wrong([](SignInOptions* o) { o->roles.clear(); }), HasSubstr("roles: 0"));
  EXPECT_THAT(wrong([](SignInOptions* o) { o->scope = "profile"; }), HasSubstr("openid"));
}

TEST(Refusals, EachHasASentenceAndNothingElseDoes) {
  EXPECT_THAT(SentenceOf(NameOf(Refusal::kRole)), HasSubstr("no role"));
  EXPECT_EQ(SentenceOf("none"), "");
  EXPECT_EQ(SentenceOf("<script>"), "");
}

}  // namespace
}  // namespace ferry::server::oidc
