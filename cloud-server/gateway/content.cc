#include "cloud-server/gateway/content.h"

#include <charconv>

#include "common/crypto/hash.h"

namespace ferry::server {
namespace {

constexpr std::string_view kBearer = "Bearer ";

std::string Mac(const crypto::Secret32& secret, std::string_view signed_part) {
  std::string message = "ferry content v1.";
  message += signed_part;
  return ToHex(crypto::HmacSha256(secret.bytes(), AsBytes(message)));
}

Status BadToken() {
  return Status(Code::kUnauthenticated, "content token: unknown or expired");
}

}  // namespace

std::string MakeContentToken(const crypto::Secret32& secret, const std::string& device,
                             int64_t expires_ms) {
  const std::string signed_part = device + "." + std::to_string(expires_ms);
  return signed_part + "." + Mac(secret, signed_part);
}

Result<std::string> CheckContentToken(const crypto::Secret32& secret, std::string_view token,
                                      int64_t now_ms) {
  const size_t last = token.rfind('.');
  if (last == std::string_view::npos) return BadToken();
  const std::string_view signed_part = token.substr(0, last);
  if (!crypto::ConstantTimeEqual(AsBytes(Mac(secret, signed_part)),
                                 AsBytes(token.substr(last + 1)))) {
    return BadToken();
  }
  const size_t middle = signed_part.rfind('.');
  if (middle == std::string_view::npos) return BadToken();
  const std::string_view expiry = signed_part.substr(middle + 1);
  int64_t expires_ms = 0;
  std::from_chars(expiry.data(), expiry.data() + expiry.size(), expires_ms);
  if (expires_ms <= now_ms) return BadToken();
  return std::string(signed_part.substr(0, middle));
}

Result<sys::Content> ContentDoor::Open(const std::string& path, const std::string& authorization) {
  if (!path.starts_with(kContentPath)) {
    return Status::Of(Code::kNotFound, "only {}<sha256> is served here", kContentPath);
  }
  if (!authorization.starts_with(kBearer)) return BadToken();
  FERRY_TRY(CheckContentToken(secret_, std::string_view(authorization).substr(kBearer.size()),
                              clock_.NowUnixMs()));
  const std::string name = path.substr(kContentPath.size());
  if (!IsBlobName(name)) return Status(Code::kNotFound, "not a SHA-256 in lower-case hexadecimal");
  FERRY_ASSIGN_OR_RETURN(auto file, blobs_.Open(name));
  FERRY_ASSIGN_OR_RETURN(const uint64_t size, file->Size());
  return sys::Content{std::move(file), size};
}

}  // namespace ferry::server
