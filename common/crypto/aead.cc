#include "common/crypto/aead.h"

#include <algorithm>

#include "common/crypto/openssl.h"
#include "common/crypto/secret.h"

namespace ferry::crypto {

struct Aead::State {
  OpensslPtr<EVP_CIPHER_CTX> seal{EVP_CIPHER_CTX_new()};
  OpensslPtr<EVP_CIPHER_CTX> open{EVP_CIPHER_CTX_new()};
};

Aead::Aead(ByteView key) : state_(std::make_unique<State>()) {
  CHECK(key.size() == kAeadKeyBytes);
  CHECK(state_->seal != nullptr && state_->open != nullptr);
  CHECK(EVP_EncryptInit_ex(state_->seal.get(), EVP_aes_256_gcm(), nullptr, key.data(), nullptr) ==
        1);
  CHECK(EVP_DecryptInit_ex(state_->open.get(), EVP_aes_256_gcm(), nullptr, key.data(), nullptr) ==
        1);
}

Aead::~Aead() = default;

void Aead::Seal(ByteView nonce, ByteView aad, ByteView plain, uint8_t* out) {
  CHECK(nonce.size() == kAeadNonceBytes);
  EVP_CIPHER_CTX* context = state_->seal.get();
  int n = 0;
  CHECK(EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, nonce.data()) == 1);
  if (!aad.empty()) {
    CHECK(EVP_EncryptUpdate(context, nullptr, &n, aad.data(), static_cast<int>(aad.size())) == 1);
  }
  if (!plain.empty()) {
    CHECK(EVP_EncryptUpdate(context, out, &n, plain.data(), static_cast<int>(plain.size())) == 1);
  }
  CHECK(EVP_EncryptFinal_ex(context, out + plain.size(), &n) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, kAeadTagBytes, out + plain.size()) ==
        1);
}

bool Aead::Open(ByteView nonce, ByteView aad, ByteView sealed, uint8_t* out) {
  CHECK(nonce.size() == kAeadNonceBytes);
  if (sealed.size() < kAeadTagBytes) return false;
  const ByteView body = sealed.first(sealed.size() - kAeadTagBytes);
  uint8_t tag[kAeadTagBytes];
  std::copy(sealed.end() - kAeadTagBytes, sealed.end(), tag);
  EVP_CIPHER_CTX* context = state_->open.get();
  int n = 0;
  uint8_t none[kAeadTagBytes];  // EVP wants a place for the end of nothing
  bool ok = EVP_DecryptInit_ex(context, nullptr, nullptr, nullptr, nonce.data()) == 1;
  if (!aad.empty()) {
    ok = ok &&
         EVP_DecryptUpdate(context, nullptr, &n, aad.data(), static_cast<int>(aad.size())) == 1;
  }
  if (!body.empty()) {
    ok = ok && EVP_DecryptUpdate(context, out, &n, body.data(), static_cast<int>(body.size())) == 1;
  }
  ok = ok && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, kAeadTagBytes, tag) == 1 &&
       EVP_DecryptFinal_ex(context, none, &n) == 1;
  if (!ok && !body.empty()) Wipe({out, body.size()});
  return ok;
}

}  // namespace ferry::crypto
