#include "cloud-server/main/online_keys/ring_secret.h"

#include <cstdlib>

#include "cloud-server/main/online_keys/pkcs11/token.h"
#include "common/sys/filesystem.h"

namespace ferry::server {
namespace {

constexpr std::string_view kFileScheme = "file:";
constexpr std::string_view kTokenLabel = "ferry key ring 1\n";  // before the salt, for other uses
constexpr uint64_t kMaxSecretFile = 4096;

Result<crypto::Secret32> FromDigits(std::string_view text, std::string_view name) {
  const Result<Bytes> bytes = FromHex(text);
  if (!bytes.ok() || bytes->size() != crypto::Secret32::kBytes)
    return Status::Of(Code::kInvalidArgument, "{}: not 64 hexadecimal digits", name);
  return crypto::Secret32::From(*bytes, name);
}

RingSecret Fresh() {
  return {crypto::Secret32::Generate(sys::SystemRandom()), true};
}

Result<RingSecret> FromEnvironment(bool make) {
  const char* text = std::getenv(kKeyRingSecret);
  if (text == nullptr || *text == 0) {
    if (make) return Fresh();
    return Status::Of(Code::kNotFound, "{} is not set", kKeyRingSecret);
  }
  FERRY_ASSIGN_OR_RETURN(crypto::Secret32 secret, FromDigits(text, kKeyRingSecret));
  return RingSecret{std::move(secret)};
}

Result<RingSecret> FromFile(const std::string& path, bool make) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  if (make && !sys::Exists(fs, path)) {
    RingSecret fresh = Fresh();
    FERRY_TRY(sys::WriteFileAtomically(fs, path, ToBytes(ToHex(fresh.secret.bytes()) + "\n"),
                                       sys::kPrivateFile));
    return fresh;
  }
  FERRY_ASSIGN_OR_RETURN(const Bytes bytes, sys::ReadFile(fs, path, kMaxSecretFile));
  std::string_view text = AsText(bytes);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  FERRY_ASSIGN_OR_RETURN(crypto::Secret32 secret, FromDigits(text, path));
  return RingSecret{std::move(secret)};
}

Result<RingSecret> FromToken(const std::string& place, ByteView salt, bool make) {
  FERRY_ASSIGN_OR_RETURN(const Pkcs11Uri uri, ParsePkcs11Uri(place));
  Bytes message = ToBytes(kTokenLabel);
  message.insert(message.end(), salt.begin(), salt.end());
  FERRY_ASSIGN_OR_RETURN(TokenMac found, MacInToken(uri, message, make));
  return RingSecret{std::move(found.mac), found.made};
}

}  // namespace

Result<RingSecret> FindRingSecret(const std::string& place, ByteView salt, bool make) {
  if (place.empty()) return FromEnvironment(make);
  if (place.starts_with(kFileScheme)) return FromFile(place.substr(kFileScheme.size()), make);
  if (place.starts_with(kPkcs11Scheme)) return FromToken(place, salt, make);
  return Status::Of(Code::kInvalidArgument,
                    "place of the secret \"{:.80}\": file:PATH, or pkcs11:..; the environment "
                    "({}) when left out",
                    place, kKeyRingSecret);
}

}  // namespace ferry::server
