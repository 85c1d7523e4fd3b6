#include "common/crypto/keyfile.h"

#include <openssl/pem.h>

#include "common/base/json.h"
#include "common/crypto/hash.h"
#include "common/crypto/openssl.h"

namespace ferry::crypto {
namespace {

constexpr const char* kType = "ferry-key";
constexpr int kOthers = 077;  // permission bits of the group and of everyone

Status Write(sys::FileSystem& fs, const std::string& path, const char* kind,
             const PublicKey* public_key, const Secret32& secret) {
  Json json = {{"type", kType}, {"kind", kind}, {"private", ToHex(secret.bytes())}};
  if (public_key != nullptr) json["public"] = ToHex(*public_key);
  return sys::WriteFileAtomically(fs, path, AsBytes(WriteJsonPretty(json) + "\n"),
                                  sys::kPrivateFile)
      .Context("key file");
}

Result<Secret32> FromPem(const Bytes& text, int type, const char* kind) {
  OpensslPtr<BIO> bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  if (bio == nullptr) return Status(Code::kOutOfMemory, "PEM");
  // A password callback that gives none: an encrypted key is an error, not a question on a
  // terminal.
  auto no_password = [](char*, int, int, void*) { return 0; };
  OpensslPtr<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr));
  uint8_t raw[Secret32::kBytes];
  size_t size = sizeof raw;
  if (key == nullptr || EVP_PKEY_get_base_id(key.get()) != type ||
      EVP_PKEY_get_raw_private_key(key.get(), raw, &size) != 1) {
    return Status::Of(Code::kMalformed, "not an {} private key in PEM", kind);
  }
  Result<Secret32> secret = Secret32::From({raw, size}, "private");
  Wipe(raw);
  return secret;
}

// The private part, and the public part as the file gives it (empty when it has none).
struct Parts {
  Secret32 secret;
  Bytes public_key;
};

Result<Parts> FromJson(const Bytes& text, const char* kind) {
  FERRY_ASSIGN_OR_RETURN(const Json json, ParseJson(AsText(text)));
  FERRY_ASSIGN_OR_RETURN(const std::string type, GetString(json, "type"));
  FERRY_ASSIGN_OR_RETURN(const std::string file_kind, GetString(json, "kind"));
  if (type != kType || file_kind != kind) {
    return Status::Of(Code::kMalformed, "a {} {}, not a {} {}", type, file_kind, kType, kind);
  }
  FERRY_ASSIGN_OR_RETURN(const std::string hex, GetString(json, "private"));
  FERRY_ASSIGN_OR_RETURN(Bytes raw, FromHex(hex).Context("private"));
  FERRY_ASSIGN_OR_RETURN(const Secret32 secret, Secret32::From(raw, "private"));
  Wipe(raw);
  FERRY_ASSIGN_OR_RETURN(const std::string public_hex, GetStringOr(json, "public", ""));
  FERRY_ASSIGN_OR_RETURN(Bytes public_key, FromHex(public_hex).Context("public"));
  return Parts{secret, std::move(public_key)};
}

Result<Parts> Read(sys::FileSystem& fs, const std::string& path, int pem_type, const char* kind) {
  FERRY_ASSIGN_OR_RETURN(const sys::FileInfo info, fs.Stat(path));
  if ((info.permissions & kOthers) != 0) {
    return Status::Of(Code::kPermissionDenied,
                      "{}: others may read this private key (mode {:o}); run chmod 600", path,
                      info.permissions);
  }
  FERRY_ASSIGN_OR_RETURN(Bytes text, sys::ReadFile(fs, path, kMaxKeyFileBytes));
  const bool pem = AsText(text).starts_with("-----BEGIN") && pem_type != EVP_PKEY_NONE;
  Result<Parts> parts = Status(Code::kMalformed, "");
  if (pem) {
    const Result<Secret32> secret = FromPem(text, pem_type, kind);
    parts = secret.ok() ? Result<Parts>(Parts{*secret, {}}) : Result<Parts>(secret.status());
  } else {
    parts = FromJson(text, kind);
  }
  Wipe(text);
  return std::move(parts).Context("{}", path);
}

Status CheckPublic(const std::string& path, const Bytes& stated, const PublicKey& real) {
  if (stated.empty() || ConstantTimeEqual(stated, real)) return OkStatus();
  return Status::Of(Code::kMalformed, "{}: \"public\" is not of \"private\"", path);
}

}  // namespace

Status WriteKey(sys::FileSystem& fs, const std::string& path, const SigningKey& key) {
  return Write(fs, path, "ed25519", &key.public_key(), key.seed());
}

Status WriteKey(sys::FileSystem& fs, const std::string& path, const AgreementKey& key) {
  return Write(fs, path, "x25519", &key.public_key(), key.scalar());
}

Status WriteKey(sys::FileSystem& fs, const std::string& path, const Secret32& secret) {
  return Write(fs, path, "secret", nullptr, secret);
}

Result<SigningKey> ReadSigningKey(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Parts parts, Read(fs, path, EVP_PKEY_ED25519, "ed25519"));
  SigningKey key = SigningKey::FromSeed(parts.secret);
  FERRY_TRY(CheckPublic(path, parts.public_key, key.public_key()));
  return key;
}

Result<AgreementKey> ReadAgreementKey(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Parts parts, Read(fs, path, EVP_PKEY_X25519, "x25519"));
  AgreementKey key = AgreementKey::FromPrivate(parts.secret);
  FERRY_TRY(CheckPublic(path, parts.public_key, key.public_key()));
  return key;
}

Result<Secret32> ReadSecret(sys::FileSystem& fs, const std::string& path) {
  FERRY_ASSIGN_OR_RETURN(const Parts parts, Read(fs, path, EVP_PKEY_NONE, "secret"));
  return parts.secret;
}

}  // namespace ferry::crypto
