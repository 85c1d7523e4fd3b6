#include "pipeline/sqlite/sealed/page.h"

#include <algorithm>
#include <cstring>

#include "common/crypto/hash.h"
#include "common/sys/random.h"

namespace ferry::sqlite {
namespace {

// A file that was opened very often has pages of many salts; the keys of so many are kept ready.
constexpr size_t kMaxKeys = 64;

Bytes Derive(const crypto::Secret32& key, ByteView salt, std::string_view purpose) {
  const auto prk = crypto::HkdfSha256Extract(salt, key.bytes());
  return crypto::HkdfSha256Expand(prk, AsBytes(purpose), crypto::kAeadKeyBytes).value();
}

std::array<uint8_t, 8> AadOf(uint64_t place) {
  std::array<uint8_t, 8> aad;
  PutU64(aad.data(), place);
  return aad;
}

void Mix(uint64_t place, const uint8_t* in, uint8_t* out) {
  const auto aad = AadOf(place);
  std::copy_n(in, crypto::kBlockBytes, out);
  for (size_t k = 0; k < aad.size(); ++k) out[k] ^= aad[k];
}

}  // namespace

PageSealer::PageSealer(const crypto::Secret32& key) : key_(key) {
  sys::SystemRandom().Fill(salt_);
  Bytes block = Derive(key, {}, "ferry sqlite frame");
  block_ = std::make_unique<crypto::BlockCipher>(block);
  crypto::Wipe(block);
  const Bytes check = Derive(key, {}, "ferry sqlite key check");
  const size_t magic = strlen(kSealedMagic);
  std::copy_n(kSealedMagic, magic, front_.begin());
  std::copy_n(check.begin(), kFrontBytes - magic, front_.begin() + magic);
}

crypto::Aead& PageSealer::KeyOf(const Salt& salt) {
  auto at = keys_.find(salt);
  if (at != keys_.end()) return *at->second;
  if (keys_.size() >= kMaxKeys) keys_.clear();
  Bytes key = Derive(key_, salt, "ferry sqlite page");
  at = keys_.emplace(salt, std::make_unique<crypto::Aead>(key)).first;
  crypto::Wipe(key);
  return *at->second;
}

bool PageSealer::Seal(uint64_t place, size_t from, const uint8_t* plain, uint8_t* out) {
  if (std::any_of(plain + kSealedBytes, plain + kPageBytes, [](uint8_t b) { return b != 0; }))
    return false;
  uint8_t nonce[crypto::kAeadNonceBytes];
  sys::SystemRandom().Fill(nonce);
  uint8_t body[kSealedBytes + crypto::kAeadTagBytes];
  const size_t bytes = kSealedBytes - from;
  KeyOf(salt_).Seal(nonce, AadOf(place), {plain + from, bytes}, body);
  std::copy_n(plain, from, out);
  std::copy_n(body, bytes, out + from);
  uint8_t* end = std::copy(salt_.begin(), salt_.end(), out + kSealedBytes);
  end = std::copy(std::begin(nonce), std::end(nonce), end);
  std::copy_n(body + bytes, crypto::kAeadTagBytes, end);
  return true;
}

bool PageSealer::Open(uint64_t place, size_t from, const uint8_t* sealed, uint8_t* out) {
  Salt salt;
  std::copy_n(sealed + kSealedBytes, kSaltBytes, salt.begin());
  const uint8_t* nonce = sealed + kSealedBytes + kSaltBytes;
  uint8_t body[kSealedBytes + crypto::kAeadTagBytes];
  const size_t bytes = kSealedBytes - from;
  std::copy_n(sealed + from, bytes, body);
  std::copy_n(nonce + crypto::kAeadNonceBytes, crypto::kAeadTagBytes, body + bytes);
  if (!KeyOf(salt).Open({nonce, crypto::kAeadNonceBytes}, AadOf(place),
                        {body, bytes + crypto::kAeadTagBytes}, body))
    return false;
  std::copy_n(sealed, from, out);
  std::copy_n(body, bytes, out + from);
  std::fill_n(out + kSealedBytes, kReservedBytes, 0);
  return true;
}

void PageSealer::HideBlock(uint64_t place, const uint8_t* plain, uint8_t* out) {
  Mix(place, plain, out);
  block_->Encrypt(out, out);
}

void PageSealer::ShowBlock(uint64_t place, const uint8_t* hidden, uint8_t* out) {
  block_->Decrypt(hidden, out);
  Mix(place, out, out);
}

}  // namespace ferry::sqlite
