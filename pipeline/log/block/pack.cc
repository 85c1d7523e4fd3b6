#include "pipeline/log/block/pack.h"

#include <zstd.h>

#include "common/crypto/aead.h"
#include "common/crypto/hash.h"

namespace ferry::log {
namespace {

constexpr int kZstdLevel = 3;
constexpr char kPlain = 0, kZstd = 1;

crypto::Secret32 Derive(const crypto::Secret32& log_key, std::string_view salt) {
  const auto prk = crypto::HkdfSha256Extract(AsBytes(salt), log_key.bytes());
  Bytes key = crypto::HkdfSha256Expand(prk, AsBytes("ferry log segment"), 32).value();
  crypto::Secret32 out = crypto::Secret32::From(key, "segment key").value();
  crypto::Wipe(key);
  return out;
}

std::array<uint8_t, crypto::kAeadNonceBytes> Nonce(uint64_t segment, uint32_t piece) {
  std::array<uint8_t, crypto::kAeadNonceBytes> nonce;
  PutU64(nonce.data(), segment);
  PutU32(nonce.data() + 8, piece);
  return nonce;
}

uint8_t* Data(std::string* text) {
  return reinterpret_cast<uint8_t*>(text->data());
}

}  // namespace

std::string Squeeze(std::string_view plain) {
  std::string out(1 + ZSTD_compressBound(plain.size()), kZstd);
  const size_t size =
      ZSTD_compress(out.data() + 1, out.size() - 1, plain.data(), plain.size(), kZstdLevel);
  if (ZSTD_isError(size) || size >= plain.size()) return std::string(1, kPlain).append(plain);
  out.resize(1 + size);
  return out;
}

Result<std::string> Unsqueeze(std::string_view squeezed, size_t max_bytes) {
  if (squeezed.empty() || (squeezed[0] != kPlain && squeezed[0] != kZstd))
    return Status(Code::kMalformed, "packed in an unknown way");
  const std::string_view body = squeezed.substr(1);
  if (squeezed[0] == kPlain) return std::string(body);
  const uint64_t size = ZSTD_getFrameContentSize(body.data(), body.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
    return Status(Code::kMalformed, "no frame of zstd");
  if (size > max_bytes)
    return Status::Of(Code::kLimitExceeded, "{} bytes, the limit is {}", size, max_bytes);
  std::string out(size, '\0');
  const size_t got = ZSTD_decompress(out.data(), out.size(), body.data(), body.size());
  if (ZSTD_isError(got) || got != size) return Status(Code::kMalformed, "a bad frame of zstd");
  return out;
}

SegmentKey::SegmentKey(const crypto::Secret32& log_key, std::string_view salt, uint64_t segment)
    : key_(Derive(log_key, salt)), segment_(segment) {}

std::string SegmentKey::Seal(uint32_t piece, std::string_view aad, std::string_view plain) const {
  std::string out(plain.size() + crypto::kAeadTagBytes, '\0');
  crypto::Aead(key_.bytes()).Seal(Nonce(segment_, piece), AsBytes(aad), AsBytes(plain), Data(&out));
  return out;
}

Result<std::string> SegmentKey::Open(uint32_t piece, std::string_view aad,
                                     std::string_view sealed) const {
  if (sealed.size() < crypto::kAeadTagBytes)
    return Status(Code::kCorruptContent, "a sealed piece without its tag");
  std::string out(sealed.size() - crypto::kAeadTagBytes, '\0');
  if (!crypto::Aead(key_.bytes())
           .Open(Nonce(segment_, piece), AsBytes(aad), AsBytes(sealed), Data(&out)))
    return Status(Code::kCorruptContent, "a sealed piece with a wrong tag");
  return out;
}

}  // namespace ferry::log
