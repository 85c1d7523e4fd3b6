// An issuer with keys of its own, which answers without a network; for tests.
#pragma once

#include <gtest/gtest.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cloud-server/oidc/fetch.h"
#include "cloud-server/oidc/jwt.h"
#include "common/crypto/hash.h"

namespace ferry::server::oidc {

inline constexpr const char* kTestIssuer = "https://issuer.example";
inline constexpr int64_t kTestNowMs = 1'767'225'600'000;

inline Bytes NumberOfKey(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  EXPECT_EQ(EVP_PKEY_get_bn_param(key, name, &number), 1);
  Bytes bytes(static_cast<size_t>(BN_num_bytes(number)));
  BN_bn2bin(number, bytes.data());
  BN_free(number);
  return bytes;
}

struct TestKey {
  // "RS256" or "ES256".
  TestKey(std::string of_id, std::string of_algorithm)
      : id(std::move(of_id)), algorithm(std::move(of_algorithm)) {
    EVP_PKEY* made = algorithm == "RS256" ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256");
    EXPECT_NE(made, nullptr);
    key.reset(made, EVP_PKEY_free);
  }
  Json Public() const {
    const auto text = [&](const char* name, size_t size) {
      Bytes bytes = NumberOfKey(key.get(), name);
      if (bytes.size() < size) bytes.insert(bytes.begin(), size - bytes.size(), 0);
      return ToBase64Url(bytes);
    };
    if (algorithm == "RS256")
      return {{"kty", "RSA"},
              {"kid", id},
              {"use", "sig"},
              {"alg", "RS256"},
              {"n", text(OSSL_PKEY_PARAM_RSA_N, 0)},
              {"e", text(OSSL_PKEY_PARAM_RSA_E, 0)}};
    return {{"kty", "EC"},
            {"kid", id},
            {"crv", "P-256"},
            {"x", text(OSSL_PKEY_PARAM_EC_PUB_X, 32)},
            {"y", text(OSSL_PKEY_PARAM_EC_PUB_Y, 32)}};
  }
  Bytes Sign(const std::string& text) const {
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                          EVP_MD_CTX_free);
    size_t size = 0;
    EXPECT_EQ(EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()), 1);
    EXPECT_EQ(EVP_DigestSign(context.get(), nullptr, &size, AsBytes(text).data(), text.size()), 1);
    Bytes bytes(size);
    EXPECT_EQ(EVP_DigestSign(context.get(), bytes.data(), &size, AsBytes(text).data(), text.size()),
              1);
    bytes.resize(size);
    if (algorithm == "RS256") return bytes;
    const uint8_t* at = bytes.data();
    ECDSA_SIG* pair = d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(bytes.size()));
    Bytes plain(64);
    BN_bn2binpad(ECDSA_SIG_get0_r(pair), plain.data(), 32);
    BN_bn2binpad(ECDSA_SIG_get0_s(pair), plain.data() + 32, 32);
    ECDSA_SIG_free(pair);
    return plain;
  }
  // A whole token; `header` adds to alg and kid, or replaces them.
  std::string Token(const Json& claims, const Json& header = Json::object()) const {
    Json head = {{"alg", algorithm}, {"kid", id}};
    head.update(header);
    const std::string text =
        ToBase64Url(AsBytes(WriteJson(head))) + "." + ToBase64Url(AsBytes(WriteJson(claims)));
    return text + "." + ToBase64Url(Sign(text));
  }

  std::string id, algorithm;
  std::shared_ptr<EVP_PKEY> key;
};

inline Json KeysOf(const std::vector<TestKey>& keys) {
  Json list = Json::array();
  for (const TestKey& key : keys) list.push_back(key.Public());
  return {{"keys", list}};
}

// Answers what an issuer is asked; tests change its members.
struct TestIssuer {
  TestIssuer() : keys{TestKey("k1", "ES256")} {
    document = {{"issuer", kTestIssuer},
                {"authorization_endpoint", "https://issuer.example/auth"},
                {"token_endpoint", "https://issuer.example/token"},
                {"jwks_uri", "https://issuer.example/keys"},
                {"userinfo_endpoint", "https://issuer.example/me"},
                {"response_types_supported", Json::array({"code"})},
                {"code_challenge_methods_supported", Json::array({"S256"})}};
    claims = {{"iss", kTestIssuer},
              {"aud", "ferry"},
              {"sub", "1234"},
              {"exp", kTestNowMs / 1000 + 300},
              {"iat", kTestNowMs / 1000},
              {"preferred_username", "Vera"},
              {"groups", {"staff", "ml"}}};
  }
  Result<Fetched> Answer(const FetchRequest& request) {
    asked.push_back(request);
    if (away) return Status(Code::kUnavailable, "no answer");
    if (request.url.ends_with("/openid-configuration")) return Fetched{200, WriteJson(document)};
    if (request.url.ends_with("/keys")) return Fetched{200, WriteJson(KeysOf(keys))};
    if (request.url.ends_with("/me")) return Fetched{200, WriteJson(more)};
    if (request.url.ends_with("/token")) {
      if (token_status != 200) return Fetched{token_status, "{\"error\":\"invalid_grant\"}"};
      const Json answer = {{"access_token", "at"},
                           {"token_type", "Bearer"},
                           {"id_token", keys.back().Token(claims)}};
      return Fetched{200, WriteJson(answer)};
    }
    return Fetched{404, ""};
  }
  Fetcher AsFetcher() {
    return [this](const FetchRequest& request) { return Answer(request); };
  }
  int Asked(const std::string& path) const {
    int times = 0;
    for (const FetchRequest& request : asked) times += request.url.ends_with(path) ? 1 : 0;
    return times;
  }

  std::vector<TestKey> keys;
  Json document, claims, more = Json::object();
  int token_status = 200;
  bool away = false;
  std::vector<FetchRequest> asked;
};

}  // namespace ferry::server::oidc
