#include "common/crypto/cipher/block.h"

#include "common/crypto/openssl.h"

namespace ferry::crypto {

struct BlockCipher::State {
  OpensslPtr<EVP_CIPHER_CTX> encrypt{EVP_CIPHER_CTX_new()};
  OpensslPtr<EVP_CIPHER_CTX> decrypt{EVP_CIPHER_CTX_new()};
};

BlockCipher::BlockCipher(ByteView key) : state_(std::make_unique<State>()) {
  constexpr size_t kKeyBytes = 32;
  CHECK(key.size() == kKeyBytes);
  EVP_CIPHER_CTX *encrypt = state_->encrypt.get(), *decrypt = state_->decrypt.get();
  CHECK(encrypt != nullptr && decrypt != nullptr);
  CHECK(EVP_EncryptInit_ex(encrypt, EVP_aes_256_ecb(), nullptr, key.data(), nullptr) == 1);
  CHECK(EVP_DecryptInit_ex(decrypt, EVP_aes_256_ecb(), nullptr, key.data(), nullptr) == 1);
  // With padding a block would wait for the next one.
  CHECK(EVP_CIPHER_CTX_set_padding(encrypt, 0) == 1);
  CHECK(EVP_CIPHER_CTX_set_padding(decrypt, 0) == 1);
}

BlockCipher::~BlockCipher() = default;

void BlockCipher::Encrypt(const uint8_t* in, uint8_t* out) {
  int n = 0;
  CHECK(EVP_EncryptUpdate(state_->encrypt.get(), out, &n, in, kBlockBytes) == 1);
}

void BlockCipher::Decrypt(const uint8_t* in, uint8_t* out) {
  int n = 0;
  CHECK(EVP_DecryptUpdate(state_->decrypt.get(), out, &n, in, kBlockBytes) == 1);
}

}  // namespace ferry::crypto
