// What an issuer of OpenID Connect sends: its document, its keys, its tokens.
#include "cloud-server/oidc/discovery.h"
#include "cloud-server/oidc/id_token.h"
#include "cloud-server/oidc/keys.h"
#include "cloud-server/oidc/roles.h"
#include "tools/fuzz/admin_door.h"
#include "tools/fuzz/target.h"

namespace ferry::fuzz {
namespace {

namespace oidc = server::oidc;

constexpr const char* kIssuer = "https://issuer.example";
constexpr int64_t kIssuedMs = 1'767'225'600'000;

// The parts, by lines with a dot: document, keys, token, a role's row.
void RunOidc(ByteView bytes) {
  std::string_view text = AsText(bytes);
  const std::string_view document = TakeUpTo(&text, "\n.\n"), keys = TakeUpTo(&text, "\n.\n"),
                         token = TakeUpTo(&text, "\n.\n"), row = TakeUpTo(&text, "\n.\n");
  (void)oidc::ParseDiscovery(document, kIssuer);
  (void)oidc::ParseRoleRow(row);
  const Result<oidc::KeySet> set = oidc::KeySet::Parse(keys);
  const Result<oidc::Jwt> jwt = oidc::ParseJwt(token);
  if (!jwt.ok()) return;
  if (set.ok()) (void)set->Verify(*jwt);
  // As if the signature were right, or nothing would come past.
  (void)oidc::CheckClaims(jwt->claims, {kIssuer, "ferry", "n", kIssuedMs});
  for (const char* claim : {"groups", "realm_access.roles", "sub"})
    (void)oidc::TextsOfClaim(jwt->claims, claim);
}

std::vector<Bytes> OidcSeeds() {
  const std::string document =
      R"({"issuer":"https://issuer.example","authorization_endpoint":"https://issuer.example/a",)"
      R"("token_endpoint":"https://issuer.example/t","jwks_uri":"https://issuer.example/k",)"
      R"("code_challenge_methods_supported":["S256"]})";
  // The P-256 key of RFC 7515, appendix A.3, which everybody knows.
  const std::string keys = R"({"keys":[{"kty":"EC","crv":"P-256","kid":"k",)"
                           R"("x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
                           R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]})";
  const std::string claims =
      R"({"iss":"https://issuer.example","aud":["ferry","x"],"azp":"ferry","sub":"1","nonce":"n",)"
      R"("exp":1767225900,"iat":1767225600,"groups":["a"],"realm_access":{"roles":["b"]}})";
  const std::string token = oidc::ToBase64Url(AsBytes(R"({"alg":"ES256","kid":"k"})")) + "." +
                            oidc::ToBase64Url(AsBytes(claims)) + "." +
                            oidc::ToBase64Url(Bytes(64, 1));
  const std::string rsa =
      R"({"keys":[{"kty":"RSA","use":"sig","e":"AQAB","n":")" + std::string(342, 'v') + R"("}]})";
  const std::string other = oidc::ToBase64Url(AsBytes(R"({"alg":"RS256"})")) + "." +
                            oidc::ToBase64Url(AsBytes(claims)) + "." +
                            oidc::ToBase64Url(Bytes(256, 1));
  return {ToBytes(document + "\n.\n" + keys + "\n.\n" + token + "\n.\nml=viewer;packages=a,b"),
          ToBytes(document + "\n.\n" + rsa + "\n.\n" + other + "\n.\n*=admin;groups=eu")};
}

}  // namespace

const Target kOidcTarget = {"oidc", RunOidc, OidcSeeds};

}  // namespace ferry::fuzz
