// Tokens and keys, with vectors that are made here: whatever is wrong with one is named.
#include "cloud-server/oidc/jwt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/oidc/id_token.h"
#include "cloud-server/oidc/keys.h"
#include "cloud-server/oidc/test_issuer.h"

namespace ferry::server::oidc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json GoodClaims() {
  Json claims = TestIssuer().claims;
  claims["nonce"] = "n";
  return claims;
}
const Expected kExpected{kTestIssuer, "ferry", "n", kTestNowMs};

Status VerifyText(const std::string& text, const std::vector<TestKey>& keys) {
  const Result<KeySet> set = KeySet::Parse(WriteJson(KeysOf(keys)));
  EXPECT_TRUE(set.ok()) << set.status().ToString();
  const Result<Jwt> token = ParseJwt(text);
  if (!token.ok()) return token.status();
  return set->Verify(*token);
}

TEST(Jwt, Base64UrlTakesOneFormOfEachText) {
  for (size_t size = 0; size < 9; ++size) {
    const Bytes bytes(size, 0xfb);
    const std::string text = ToBase64Url(bytes);
    EXPECT_EQ(text.find_first_of("+/="), std::string::npos);
    ASSERT_TRUE(FromBase64Url(text).ok()) << text;
    EXPECT_EQ(*FromBase64Url(text), bytes);
  }
  for (const char* wrong : {"A", "AA==", "+w", "/w", "AB", "-_\n"})
    EXPECT_EQ(FromBase64Url(wrong).code(), Code::kMalformed) << wrong;
}

TEST(Jwt, BothAlgorithmsAreVerified) {
  const std::vector<TestKey> keys = {TestKey("a", "RS256"), TestKey("b", "ES256")};
  for (const TestKey& key : keys) {
    const std::string text = key.Token(GoodClaims());
    EXPECT_TRUE(VerifyText(text, keys).ok()) << VerifyText(text, keys).ToString();
    // Without a key's id, all of the algorithm are tried.
    EXPECT_TRUE(VerifyText(key.Token(GoodClaims(), {{"kid", ""}}), keys).ok());
    std::string other = text;
    other[other.size() / 2] = other[other.size() / 2] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(VerifyText(other, keys).ok());
  }
}

TEST(Jwt, ASignatureIsOfTheKeyThatTheTokenNames) {
  const TestKey key("a", "ES256"), stranger("a", "ES256"), unknown("z", "ES256");
  EXPECT_EQ(VerifyText(stranger.Token(GoodClaims()), {key}).code(), Code::kBadSignature);
  EXPECT_EQ(VerifyText(unknown.Token(GoodClaims()), {key}).code(), Code::kNotFound);
  // A signature of one algorithm under the name of another.
  EXPECT_EQ(VerifyText(key.Token(GoodClaims(), {{"alg", "RS256"}}), {key}).code(), Code::kNotFound);
  const std::string whole = key.Token(GoodClaims());
  const std::string cut = whole.substr(0, whole.size() - 2);
  EXPECT_EQ(VerifyText(cut, {key}).code(), Code::kBadSignature);
}

TEST(Jwt, NoneIsNoAlgorithm) {
  const TestKey key("a", "RS256");
  for (const char* none : {"none", "None", "NONE", "", "HS256", "RS512", "PS256"}) {
    const Status status = VerifyText(key.Token(GoodClaims(), {{"alg", none}}), {key});
    EXPECT_EQ(status.code(), Code::kUnsupported) << none;
  }
  const std::string whole = key.Token(GoodClaims(), {{"alg", "none"}});
  EXPECT_EQ(VerifyText(whole.substr(0, whole.rfind('.') + 1), {key}).code(), Code::kUnsupported);
}

// Who knows the public key, which everybody does, takes it as the secret of an HMAC.
TEST(Jwt, APublicKeyIsNoSecret) {
  const TestKey key("a", "RS256");
  const Json head = {{"alg", "HS256"}, {"kid", "a"}};
  const std::string text =
      ToBase64Url(AsBytes(WriteJson(head))) + "." + ToBase64Url(AsBytes(WriteJson(GoodClaims())));
  for (const std::string& secret :
       {WriteJson(key.Public()), WriteJson(KeysOf({key})), GetString(key.Public(), "n").value()}) {
    const auto mac = crypto::HmacSha256(AsBytes(secret), AsBytes(text));
    EXPECT_EQ(VerifyText(text + "." + ToBase64Url(mac), {key}).code(), Code::kUnsupported);
  }
}

TEST(Jwt, WhatIsNoTokenIsNamed) {
  const TestKey key("a", "ES256");
  const std::string good = key.Token(GoodClaims());
  for (const std::string& wrong :
       {std::string(), std::string("a.b"), good + ".x", "." + good, std::string("!!.e30.AA"),
        "bnVsbA." + good.substr(good.find('.') + 1)})
    EXPECT_EQ(ParseJwt(wrong).code(), Code::kMalformed) << wrong.substr(0, 40);
  EXPECT_EQ(ParseJwt(std::string(kMaxJwtBytes + 1, 'a')).code(), Code::kLimitExceeded);
  EXPECT_EQ(ParseJwt(key.Token(GoodClaims(), {{"crit", Json::array({"b64"})}})).code(),
            Code::kUnsupported);
}

TEST(Jwt, KeysForOtherUsesArePassedOver) {
  const TestKey key("a", "ES256");
  Json for_secrets = key.Public(), for_signing = key.Public(), other_curve = key.Public();
  for_secrets["use"] = "enc";
  for_signing["key_ops"] = Json::array({"sign"});
  other_curve["crv"] = "P-384";
  const Json secret = {{"kty", "oct"}, {"k", "AAAA"}};
  const Result<KeySet> set = KeySet::Parse(
      WriteJson({{"keys", {for_secrets, for_signing, other_curve, secret, key.Public()}}}));
  ASSERT_TRUE(set.ok()) << set.status().ToString();
  EXPECT_EQ(set->size(), 1U);
}

TEST(Jwt, WeakAndWrongKeysAreRefused) {
  const auto status = [](Json key) {
    return KeySet::Parse(WriteJson({{"keys", Json::array({std::move(key)})}})).status();
  };
  const TestKey rsa("r", "RS256"), ec("e", "ES256");
  EVP_PKEY* weak_key = EVP_RSA_gen(1024);
  Json weak = rsa.Public();
  weak["n"] = ToBase64Url(NumberOfKey(weak_key, OSSL_PKEY_PARAM_RSA_N));
  EVP_PKEY_free(weak_key);
  EXPECT_THAT(status(weak).message(), HasSubstr("under 2048 bits"));
  Json exponent = rsa.Public();
  exponent["e"] = "AQ";
  EXPECT_THAT(status(exponent).message(), HasSubstr("e: even, or 1"));
  Json off_curve = ec.Public();
  off_curve["y"] = off_curve["x"];
  EXPECT_EQ(status(off_curve).code(), Code::kInvalidArgument);
  Json short_point = ec.Public();
  short_point["x"] = "AAAA";
  EXPECT_THAT(status(short_point).message(), HasSubstr("keys[0]: x or y: not of 32 bytes"));
  Json many = Json::array();
  for (size_t i = 0; i <= kMaxIssuerKeys; ++i) many.push_back(ec.Public());
  EXPECT_EQ(KeySet::Parse(WriteJson({{"keys", many}})).code(), Code::kLimitExceeded);
}

TEST(IdToken, EachClaimIsChecked) {
  EXPECT_TRUE(CheckClaims(GoodClaims(), kExpected).ok());
  struct Case {
    const char* claim;
    Json value;
    const char* why;
  };
  const int64_t now = kTestNowMs / 1000;
  const std::vector<Case> cases = {
      {"iss", "https://issuer.example/", "iss: the token is another issuer's"},
      {"aud", "other", "aud: the token is for another client"},
      {"aud", Json::array(), "aud:"},
      {"aud", {"ferry", "other"}, "azp: missing"},
      {"azp", "other", "azp: the token was made for another"},
      {"exp", now - 61, "exp: over since 61 s"},
      {"exp", "soon", "exp"},
      {"exp", -1, "exp: no time"},
      {"exp", 1e30, "exp: no time"},
      {"iat", now + 61, "iat: 61 s ahead"},
      {"nbf", now + 61, "nbf: 61 s ahead"},
      {"nonce", "m", "nonce: the token is of another sign-in"},
      {"sub", "", "sub:"},
      {"sub", std::string(256, 'x'), "sub:"},
  };
  for (const Case& wrong : cases) {
    Json claims = GoodClaims();
    claims[wrong.claim] = wrong.value;
    const Status status = CheckClaims(claims, kExpected);
    EXPECT_FALSE(status.ok()) << wrong.claim << " " << WriteJson(wrong.value);
    EXPECT_THAT(status.message(), HasSubstr(wrong.why));
  }
  for (const char* needed : {"iss", "aud", "exp", "iat", "nonce", "sub"}) {
    Json claims = GoodClaims();
    claims.erase(needed);
    EXPECT_THAT(CheckClaims(claims, kExpected).message(), HasSubstr(needed));
  }
}

TEST(IdToken, ALeewayForClocksAndSeveralAudiences) {
  Json claims = GoodClaims();
  const int64_t now = kTestNowMs / 1000;
  claims["exp"] = now - 59;
  claims["iat"] = now + 59;
  claims["nbf"] = now + 59.5;
  claims["aud"] = {"other", "ferry"};
  claims["azp"] = "ferry";
  EXPECT_TRUE(CheckClaims(claims, kExpected).ok());
}

TEST(IdToken, ClaimsAreFoundByNameOrByTheirWay) {
  const Json claims = {{"groups", {"a", 1, "b"}},
                       {"role", "c"},
                       {"realm_access", {{"roles", Json::array({"d"})}}},
                       {"https://example.org/groups", Json::array({"e"})}};
  EXPECT_THAT(TextsOfClaim(claims, "groups"), ElementsAre("a", "b"));
  EXPECT_THAT(TextsOfClaim(claims, "role"), ElementsAre("c"));
  EXPECT_THAT(TextsOfClaim(claims, "realm_access.roles"), ElementsAre("d"));
  EXPECT_THAT(TextsOfClaim(claims, "https://example.org/groups"), ElementsAre("e"));
  for (const char* none : {"realm_access", "realm_access.", "role.x", "x", "", "groups.0"})
    EXPECT_THAT(TextsOfClaim(claims, none), IsEmpty()) << none;
}

}  // namespace
}  // namespace ferry::server::oidc
