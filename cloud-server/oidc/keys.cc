#include "cloud-server/oidc/keys.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <algorithm>

namespace ferry::server::oidc {
namespace {

constexpr const char* kRs256 = "RS256";
constexpr const char* kEs256 = "ES256";
constexpr size_t kP256Bytes = 32;
constexpr size_t kMaxExponentBytes = 8;

struct KeyFree {
  void operator()(BIGNUM* p) const { BN_free(p); }
  void operator()(ECDSA_SIG* p) const { ECDSA_SIG_free(p); }
  void operator()(EVP_MD_CTX* p) const { EVP_MD_CTX_free(p); }
  void operator()(EVP_PKEY_CTX* p) const { EVP_PKEY_CTX_free(p); }
  void operator()(OSSL_PARAM* p) const { OSSL_PARAM_free(p); }
  void operator()(OSSL_PARAM_BLD* p) const { OSSL_PARAM_BLD_free(p); }
};
template <typename T>
using KeyPtr = std::unique_ptr<T, KeyFree>;
using SharedKey = std::shared_ptr<evp_pkey_st>;

Result<SharedKey> KeyOf(const char* type, OSSL_PARAM* params) {
  const KeyPtr<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* raw = nullptr;
  if (!context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &raw, EVP_PKEY_PUBLIC_KEY, params) != 1)
    return Status::Of(Code::kInvalidArgument, "no key of type {}", type);
  SharedKey key(raw, EVP_PKEY_free);
  const KeyPtr<EVP_PKEY_CTX> check(EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr));
  if (!check || EVP_PKEY_public_check(check.get()) != 1)
    return Status::Of(Code::kInvalidArgument, "no valid key of type {}", type);
  return key;
}

Result<Bytes> BytesOf(const Json& json, const char* member) {
  FERRY_ASSIGN_OR_RETURN(const std::string text, GetString(json, member));
  return FromBase64Url(text).Context("{}", member);
}

KeyPtr<BIGNUM> NumberOf(ByteView bytes) {
  return KeyPtr<BIGNUM>(BN_bin2bn(bytes.data(), static_cast<int>(bytes.size()), nullptr));
}

Result<SharedKey> RsaKey(const Json& json) {
  FERRY_ASSIGN_OR_RETURN(const Bytes modulus, BytesOf(json, "n"));
  FERRY_ASSIGN_OR_RETURN(const Bytes exponent, BytesOf(json, "e"));
  if (modulus.size() > kMaxRsaBits / 8 || exponent.empty() || exponent.size() > kMaxExponentBytes)
    return Status::Of(Code::kInvalidArgument, "n or e: longer than {} bits or {} bytes",
                      kMaxRsaBits, kMaxExponentBytes);
  const KeyPtr<BIGNUM> n = NumberOf(modulus), e = NumberOf(exponent);
  const KeyPtr<OSSL_PARAM_BLD> builder(OSSL_PARAM_BLD_new());
  if (!n || !e || !builder) return Status(Code::kOutOfMemory, "no room for a key");
  if (BN_num_bits(n.get()) < kMinRsaBits || BN_is_odd(n.get()) == 0)
    return Status::Of(Code::kInvalidArgument, "n: under {} bits, or even", kMinRsaBits);
  if (BN_is_odd(e.get()) == 0 || BN_is_one(e.get()) == 1)
    return Status(Code::kInvalidArgument, "e: even, or 1");
  if (OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1)
    return Status(Code::kOutOfMemory, "no room for a key");
  const KeyPtr<OSSL_PARAM> params(OSSL_PARAM_BLD_to_param(builder.get()));
  if (!params) return Status(Code::kOutOfMemory, "no room for a key");
  return KeyOf("RSA", params.get());
}

Result<SharedKey> P256Key(const Json& json) {
  FERRY_ASSIGN_OR_RETURN(const Bytes x, BytesOf(json, "x"));
  FERRY_ASSIGN_OR_RETURN(const Bytes y, BytesOf(json, "y"));
  if (x.size() != kP256Bytes || y.size() != kP256Bytes)
    return Status::Of(Code::kInvalidArgument, "x or y: not of {} bytes", kP256Bytes);
  Bytes point{4};  // uncompressed
  point.insert(point.end(), x.begin(), x.end());
  point.insert(point.end(), y.begin(), y.end());
  char group[] = "prime256v1";
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0),
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()),
      OSSL_PARAM_construct_end()};
  return KeyOf("EC", params);
}

// r and s one after the other (RFC 7518, section 3.4) in the form that OpenSSL takes.
Result<Bytes> DerOf(ByteView signature) {
  if (signature.size() != 2 * kP256Bytes)
    return Status::Of(Code::kBadSignature, "a signature of {} bytes, not {}", signature.size(),
                      2 * kP256Bytes);
  KeyPtr<BIGNUM> r = NumberOf(signature.first(kP256Bytes));
  KeyPtr<BIGNUM> s = NumberOf(signature.subspan(kP256Bytes));
  const KeyPtr<ECDSA_SIG> pair(ECDSA_SIG_new());
  if (!r || !s || !pair || ECDSA_SIG_set0(pair.get(), r.get(), s.get()) != 1)
    return Status(Code::kOutOfMemory, "no room for a signature");
  (void)r.release();  // the pair's now
  (void)s.release();
  uint8_t* der = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &der);
  if (size <= 0) return Status(Code::kBadSignature, "no signature");
  Bytes bytes(der, der + size);
  OPENSSL_free(der);
  return bytes;
}

bool Signed(evp_pkey_st* key, ByteView signature, std::string_view text) {
  const KeyPtr<EVP_MD_CTX> context(EVP_MD_CTX_new());
  return context && EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
         EVP_DigestVerify(context.get(), signature.data(), signature.size(), AsBytes(text).data(),
                          text.size()) == 1;
}

bool IsForVerifying(const Json& json) {
  const Result<std::string> use = GetStringOr(json, "use", "sig");
  const Result<std::vector<std::string>> ops = GetStringsOr(json, "key_ops");
  if (!use.ok() || *use != "sig" || !ops.ok()) return false;
  return ops->empty() || std::find(ops->begin(), ops->end(), "verify") != ops->end();
}

}  // namespace

Result<KeySet::Key> KeySet::Read(const Json& json) {
  Key key;
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(json, "kty"));
  FERRY_ASSIGN_OR_RETURN(const std::string curve, GetStringOr(json, "crv", ""));
  const bool rsa = type == "RSA", p256 = type == "EC" && curve == "P-256";
  const std::string own = rsa ? kRs256 : kEs256;
  FERRY_ASSIGN_OR_RETURN(const std::string algorithm, GetStringOr(json, "alg", own));
  if ((!rsa && !p256) || algorithm != own || !IsForVerifying(json)) return key;
  FERRY_ASSIGN_OR_RETURN(key.id, GetStringOr(json, "kid", ""));
  FERRY_ASSIGN_OR_RETURN(key.key, rsa ? RsaKey(json) : P256Key(json));
  key.algorithm = own;
  return key;
}

Result<KeySet> KeySet::Parse(std::string_view text) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(text).Context("keys"));
  FERRY_ASSIGN_OR_RETURN(const Json* keys, GetArray(json, "keys"));
  if (keys->size() > kMaxIssuerKeys)
    return Status::Of(Code::kLimitExceeded, "keys: {}, over {}", keys->size(), kMaxIssuerKeys);
  KeySet set;
  for (size_t i = 0; i < keys->size(); ++i) {
    const Json& item = (*keys)[i];
    if (!item.is_object()) return Status::Of(Code::kMalformed, "keys[{}]: not an object", i);
    FERRY_ASSIGN_OR_RETURN(Key key, Read(item).Context("keys[{}]", i));
    if (!key.algorithm.empty()) set.keys_.push_back(std::move(key));
  }
  return set;
}

Status KeySet::Verify(const Jwt& token) const {
  if (token.algorithm != kRs256 && token.algorithm != kEs256)
    return Status::Of(Code::kUnsupported, "the token is signed by \"{}\", not {} or {}",
                      token.algorithm.substr(0, 20), kRs256, kEs256);
  Bytes signature = token.signature;
  if (token.algorithm == kEs256) {
    FERRY_ASSIGN_OR_RETURN(signature, DerOf(token.signature));
  }
  bool found = false;
  for (const Key& key : keys_) {
    if (key.algorithm != token.algorithm) continue;
    if (!token.key_id.empty() && key.id != token.key_id) continue;
    found = true;
    if (Signed(key.key.get(), signature, token.signed_part)) return OkStatus();
  }
  if (!found)
    return Status::Of(Code::kNotFound, "the issuer has no key \"{}\" for {}",
                      token.key_id.substr(0, 80), token.algorithm);
  return Status(Code::kBadSignature, "the token's signature is not of the issuer's key");
}

}  // namespace ferry::server::oidc
