#include "common/crypto/hash.h"

#include <openssl/crypto.h>
#include <openssl/hmac.h>

#include "common/crypto/openssl.h"

namespace ferry::crypto {
namespace {

// Digests fail only when OpenSSL cannot allocate a few hundred bytes.
template <size_t N>
std::array<uint8_t, N> Digest(const EVP_MD* type, ByteView bytes) {
  std::array<uint8_t, N> out;
  CHECK(EVP_Digest(bytes.data(), bytes.size(), out.data(), nullptr, type, nullptr) == 1);
  return out;
}

// RFC 5869, section 2.3.
Result<Bytes> Expand(const EVP_MD* type, ByteView prk, ByteView info, size_t length) {
  const size_t digest_bytes = static_cast<size_t>(EVP_MD_get_size(type));
  if (length == 0 || length > 255 * digest_bytes) {
    return Status::Of(Code::kInvalidArgument, "HKDF: {} bytes wanted, 1 to {} are possible", length,
                      255 * digest_bytes);
  }
  Bytes out, block;
  for (uint8_t i = 1; out.size() < length; ++i) {
    block.insert(block.end(), info.begin(), info.end());
    block.push_back(i);
    uint8_t mac[EVP_MAX_MD_SIZE];
    CHECK(HMAC(type, prk.data(), static_cast<int>(prk.size()), block.data(), block.size(), mac,
               nullptr) != nullptr);
    block.assign(mac, mac + digest_bytes);
    out.insert(out.end(), block.begin(), block.end());
  }
  out.resize(length);
  return out;
}

}  // namespace

Sha256Digest Sha256(ByteView bytes) {
  return Digest<32>(EVP_sha256(), bytes);
}

Sha512Digest Sha512(ByteView bytes) {
  return Digest<64>(EVP_sha512(), bytes);
}

std::string Sha256Hex(ByteView bytes) {
  return ToHex(Sha256(bytes));
}

struct Sha256Stream::State {
  OpensslPtr<EVP_MD_CTX> context{EVP_MD_CTX_new()};
  State() { Start(); }
  void Start() {
    CHECK(context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1);
  }
};

Sha256Stream::Sha256Stream() : state_(std::make_unique<State>()) {}
Sha256Stream::~Sha256Stream() = default;
Sha256Stream::Sha256Stream(Sha256Stream&&) noexcept = default;
Sha256Stream& Sha256Stream::operator=(Sha256Stream&&) noexcept = default;

void Sha256Stream::Update(ByteView piece) {
  CHECK(EVP_DigestUpdate(state_->context.get(), piece.data(), piece.size()) == 1);
}

Sha256Digest Sha256Stream::Finish() {
  Sha256Digest out;
  CHECK(EVP_DigestFinal_ex(state_->context.get(), out.data(), nullptr) == 1);
  state_->Start();
  return out;
}

Sha256Digest HmacSha256(ByteView key, ByteView message) {
  Sha256Digest out;
  // A null key pointer would mean "the key of before".
  const uint8_t empty = 0;
  const uint8_t* at = key.empty() ? &empty : key.data();
  CHECK(HMAC(EVP_sha256(), at, static_cast<int>(key.size()), message.data(), message.size(),
             out.data(), nullptr) != nullptr);
  return out;
}

Sha256Digest HkdfSha256Extract(ByteView salt, ByteView input_key) {
  return HmacSha256(salt, input_key);
}

Result<Bytes> HkdfSha256Expand(ByteView prk, ByteView info, size_t length) {
  return Expand(EVP_sha256(), prk, info, length);
}

Result<Bytes> HkdfSha512Expand(ByteView prk, ByteView info, size_t length) {
  return Expand(EVP_sha512(), prk, info, length);
}

bool ConstantTimeEqual(ByteView a, ByteView b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace ferry::crypto
