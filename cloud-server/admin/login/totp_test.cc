#include "cloud-server/admin/login/totp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cloud-server/admin/login/password.h"
#include "cloud-server/admin/rights/test_rights.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Totp, CodesAreThoseOfTheStandard) {
  const Bytes secret = ToBytes(AsBytes(std::string_view("12345678901234567890")));
  // RFC 6238, appendix B: seconds and the code of SHA-1 in eight digits.
  const std::pair<int64_t, const char*> vectors[] = {
      {59, "94287082"},         {1111111109, "07081804"}, {1111111111, "14050471"},
      {1234567890, "89005924"}, {2000000000, "69279037"}, {20000000000, "65353130"}};
  for (const auto& [seconds, code] : vectors)
    EXPECT_EQ(TotpCode(secret, seconds * 1000 / kTotpStepMs, 8), code) << seconds;
  // RFC 4226, appendix D.
  const char* hotp[] = {"755224", "287082", "359152", "969429", "338314"};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(TotpCode(secret, i), hotp[i]) << i;
}

TEST(Totp, SecretsAreWrittenInBase32) {
  // RFC 4648, section 10, without the padding.
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "MY"},
                                                         {"fo", "MZXQ"},
                                                         {"foo", "MZXW6"},
                                                         {"foob", "MZXW6YQ"},
                                                         {"fooba", "MZXW6YTB"},
                                                         {"foobar", "MZXW6YTBOI"}};
  for (const auto& [plain, text] : vectors)
    EXPECT_EQ(Base32(AsBytes(std::string_view(plain))), text) << plain;
  EXPECT_EQ(TotpUri("vera@x", Bytes(5, 0)),
            "otpauth://totp/Ferry:vera%40x?secret=AAAAAAAA&issuer=Ferry&digits=6&period=30");
}

TEST(Totp, ACodeCountsOnceAndAboutItsTime) {
  Totp totp;
  totp.secret = Bytes(kTotpSecretBytes, 3);
  totp.confirmed = true;
  totp.recovery_sha256 = {RecoveryHash("abcde-fghjk")};
  const int64_t now_ms = 1'000'000 * kTotpStepMs + 7;
  const auto code = [&](int64_t off) { return TotpCode(totp.secret, 1'000'000 + off); };
  EXPECT_FALSE(totp.Take(code(-2), now_ms));
  EXPECT_FALSE(totp.Take(code(2), now_ms));
  EXPECT_FALSE(totp.Take("", now_ms));
  EXPECT_FALSE(totp.Take(std::string(1000, '1'), now_ms));
  EXPECT_TRUE(totp.Take(code(-1), now_ms));
  EXPECT_FALSE(totp.Take(code(-1), now_ms));
  const std::string spaced = code(0).substr(0, 3) + " " + code(0).substr(3);
  EXPECT_TRUE(totp.Take(spaced, now_ms));
  EXPECT_FALSE(totp.Take(code(0), now_ms));
  EXPECT_FALSE(totp.Take(code(-1), now_ms));  // an older one than was used
  const Totp stored = *Totp::Parse(totp.Text());
  EXPECT_EQ(stored.Text(), totp.Text());
  EXPECT_TRUE(totp.Take(" ABCDE fghjk", now_ms));
  EXPECT_FALSE(totp.Take("abcde-fghjk", now_ms));
  EXPECT_TRUE(Totp::Parse("")->none());
  EXPECT_FALSE(Totp::Parse("{").ok());
}

TEST(Totp, RecoveryCodesAreReadable) {
  const std::string code = RecoveryCode(Bytes{0, 68, 50, 20, 199, 66, 84});
  EXPECT_EQ(code.size(), 11U);
  EXPECT_EQ(code[5], '-');
  EXPECT_NE(code, RecoveryCode(Bytes{0, 68, 50, 20, 199, 66, 255}).substr(0, 10));
}

struct TotpLogin : testing::Test {
  // The status; `answer` becomes the body.
  int LogIn(const std::string& code = {}, const std::string& password = kTestPassword) {
    Json body = {{"user", "vera"}, {"password", password}};
    if (!code.empty()) body["code"] = code;
    httplib::Client client = fixture.Client();
    const httplib::Result got = client.Post("/api/v1/login", WriteJson(body), "application/json");
    answer = *ParseJson(got->body);
    return got->status;
  }
  std::string Code(int64_t off = 0) {
    Totp totp;
    EXPECT_TRUE(fixture.store
                    ->Read([&](Transaction& tx) -> Status {
                      totp = *Totp::Parse(tx.accounts().Get("vera")->totp);
                      return OkStatus();
                    })
                    .ok());
    return TotpCode(totp.secret, fixture.clock.now_ms / kTotpStepMs + off);
  }
  RightsFixture fixture;
  Json answer;
};

TEST_F(TotpLogin, ALoginNeedsACodeOnceItIsConfirmed) {
  fixture.Add("vera", "viewer");
  const std::string token = fixture.TokenOf("vera");
  EXPECT_EQ(fixture.Call(token, "PUT", "/users/vera/totp", {{"code", "123456"}}).first, 409);
  const auto [made, totp] = fixture.Call(token, "POST", "/users/vera/totp");
  ASSERT_EQ(made, 200) << TextOf(totp);
  EXPECT_EQ(totp["recovery"].size(), kRecoveryCodes);
  EXPECT_THAT(totp["uri"].get<std::string>(),
              HasSubstr("secret=" + totp["secret"].get<std::string>()));
  EXPECT_EQ(LogIn(), 200);  // not confirmed: nobody is shut out
  EXPECT_EQ(fixture.Call(token, "PUT", "/users/vera/totp", {{"code", "000000"}}).first, 403);
  EXPECT_EQ(fixture.Call(token, "PUT", "/users/vera/totp", {{"code", Code()}}).first, 200);
  EXPECT_EQ(fixture.Call(token, "GET", "/users/vera").second["totp"], true);
  EXPECT_EQ(LogIn(), 401);
  EXPECT_EQ(answer["error"]["next"], "code");
  EXPECT_EQ(LogIn(Code()), 401);  // the one that confirmed it
  EXPECT_EQ(answer["error"].value("next", ""), "code");
  EXPECT_EQ(LogIn(Code(1)), 200);
  EXPECT_EQ(LogIn(Code(1)), 401);
  fixture.clock.now_ms += 3 * kTotpStepMs;
  EXPECT_EQ(LogIn("999999", "wrong"), 401);
  EXPECT_EQ(LogIn(Code()), 200);
  // Nobody learns by it that a guessed password is right but whoever guessed it.
  EXPECT_EQ(LogIn("", "wrong"), 401);
  EXPECT_NE(answer["error"].value("next", ""), "code");
  const std::string recovery = totp["recovery"][3];
  EXPECT_EQ(LogIn(recovery), 200);
  EXPECT_EQ(LogIn(recovery), 401);
  EXPECT_EQ(LogIn(totp["recovery"][4]), 200);
}

TEST_F(TotpLogin, OnlyItsUserSetsItUpAndWhoLostItIsHelped) {
  fixture.Add("vera", "viewer");
  fixture.Add("rolf", "releaser");
  const std::string vera = fixture.TokenOf("vera"), rolf = fixture.TokenOf("rolf");
  EXPECT_EQ(fixture.Call(fixture.token, "POST", "/users/vera/totp").first, 403);
  EXPECT_EQ(fixture.Call(rolf, "POST", "/users/vera/totp").first, 403);
  const auto [status, program] = fixture.Call(vera, "POST", "/users/vera/tokens", {{"name", "ci"}});
  ASSERT_EQ(status, 200);
  EXPECT_EQ(fixture.Call(program["token"], "POST", "/users/vera/totp").first, 403);
  ASSERT_EQ(fixture.Call(vera, "POST", "/users/vera/totp").first, 200);
  ASSERT_EQ(fixture.Call(vera, "PUT", "/users/vera/totp", {{"code", Code()}}).first, 200);
  EXPECT_EQ(fixture.Call(vera, "POST", "/users/vera/totp").first, 409);
  EXPECT_EQ(fixture.Call(rolf, "DELETE", "/users/vera/totp").first, 403);
  EXPECT_EQ(LogIn(), 401);
  // Without a body there is no code.
  EXPECT_EQ(fixture.Call(vera, "DELETE", "/users/vera/totp").first, 400);
  EXPECT_EQ(fixture.Call(fixture.token, "DELETE", "/users/vera/totp").first, 200);
  EXPECT_EQ(LogIn(), 200);
}

TEST_F(TotpLogin, GuessesOfCodesAreFew) {
  fixture.Add("vera", "viewer");
  const std::string vera = fixture.TokenOf("vera");
  ASSERT_EQ(fixture.Call(vera, "POST", "/users/vera/totp").first, 200);
  ASSERT_EQ(fixture.Call(vera, "PUT", "/users/vera/totp", {{"code", Code()}}).first, 200);
  // Being asked for the code is no wrong guess.
  for (int i = 0; i <= kMaxLoginFailures; ++i) EXPECT_EQ(LogIn(), 401);
  for (int i = 0; i < kMaxLoginFailures; ++i) EXPECT_EQ(LogIn("abcdef"), 401);
  EXPECT_EQ(LogIn(Code(1)), 503);
}

// Whoever signs in has his password kept by the newer way from then on, unasked.
TEST_F(TotpLogin, OlderHashesAreUpgradedAtSignIn) {
  fixture.Add("vera", "viewer");
  const auto stored = [&] {
    std::string text;
    EXPECT_TRUE(fixture.store
                    ->Read([&](Transaction& tx) -> Status {
                      text = tx.accounts().Get("vera")->password;
                      return OkStatus();
                    })
                    .ok());
    return text;
  };
  EXPECT_FALSE(IsOldHash(stored()));
  EXPECT_TRUE(ChangeUser(fixture.options, "vera", [](AccountRow& row) {
                row.password = Pbkdf2Password(kTestPassword, AsBytes("salt"), 10);
                return OkStatus();
              }).ok());
  EXPECT_EQ(LogIn("", "wrong horse battery"), 401);
  EXPECT_TRUE(IsOldHash(stored()));
  EXPECT_EQ(LogIn(), 200);
  EXPECT_FALSE(IsOldHash(stored()));
  EXPECT_EQ(LogIn(), 200);
  EXPECT_EQ(LogIn("", "wrong horse battery"), 401);
}

}  // namespace
}  // namespace ferry::server
