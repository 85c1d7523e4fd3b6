#include "common/net/tls/tickets.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include <algorithm>
#include <ctime>
#include <string_view>

namespace ferry::net {
namespace {

bool Hmac(const void* key, size_t size, std::string_view message, uint8_t* out) {
  unsigned made = 0;
  return HMAC(EVP_sha512(), key, static_cast<int>(size),
              reinterpret_cast<const unsigned char*>(message.data()), message.size(), out,
              &made) != nullptr;
}

int SecretIndex() {
  static const int index = SSL_CTX_get_ex_new_index(
      0, nullptr, nullptr, nullptr, [](void*, void* ptr, CRYPTO_EX_DATA*, int, long, void*) {
        auto* secret = static_cast<TicketSecret*>(ptr);
        if (secret != nullptr) OPENSSL_cleanse(secret->data(), secret->size());
        delete secret;
      });
  return index;
}

std::optional<TicketKey> KeyOfPeriod(const TicketSecret& secret, int64_t period) {
  uint8_t made[2 * sizeof(TicketSecret)];
  for (const int half : {0, 1}) {
    const std::string label =
        "ferry tls ticket " + std::to_string(half) + " " + std::to_string(period);
    if (!Hmac(secret.data(), secret.size(), label, made + half * sizeof(TicketSecret)))
      return std::nullopt;
  }
  TicketKey key;
  std::copy_n(made, key.mac.size(), key.mac.begin());
  std::copy_n(made + key.mac.size(), key.cipher.size(), key.cipher.begin());
  std::copy_n(made + sizeof(TicketSecret), key.name.size(), key.name.begin());
  OPENSSL_cleanse(made, sizeof made);
  return key;
}

bool UseMac(EVP_MAC_CTX* mac, TicketKey& key) {
  char digest[] = "SHA256";
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key.mac.data(), key.mac.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(mac, params) == 1;
}

// As OpenSSL asks: 1 with the keys set, 0 for a ticket of none that is known, -1 on errors.
int OnTicket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
             EVP_MAC_CTX* mac, int seals) {
  const auto* secret =
      static_cast<const TicketSecret*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), SecretIndex()));
  if (secret == nullptr) return -1;
  const int64_t now_s = std::time(nullptr);
  std::optional<TicketKey> key =
      seals != 0 ? TicketKeyAt(*secret, now_s) : TicketKeyNamed(*secret, name, now_s);
  if (!key) return seals != 0 ? -1 : 0;
  bool ok = true;
  if (seals != 0) {
    std::copy(key->name.begin(), key->name.end(), name);
    ok = RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) == 1;
  }
  ok = ok && EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), nullptr, key->cipher.data(), iv,
                               seals != 0 ? 1 : 0) == 1;
  ok = ok && UseMac(mac, *key);
  OPENSSL_cleanse(&*key, sizeof *key);
  return ok ? 1 : -1;
}

}  // namespace

std::optional<TicketSecret> TicketSecretOf(const std::string& private_key_pem) {
  TicketSecret secret;
  if (!Hmac(private_key_pem.data(), private_key_pem.size(), "ferry tls tickets", secret.data()))
    return std::nullopt;
  return secret;
}

std::optional<TicketKey> TicketKeyAt(const TicketSecret& secret, int64_t now_s) {
  return KeyOfPeriod(secret, now_s / kTicketLifeSeconds);
}

std::optional<TicketKey> TicketKeyNamed(const TicketSecret& secret, const uint8_t* name,
                                        int64_t now_s) {
  for (const int64_t from_now : {0, -1, 1}) {
    std::optional<TicketKey> key = KeyOfPeriod(secret, now_s / kTicketLifeSeconds + from_now);
    if (key && std::equal(key->name.begin(), key->name.end(), name)) return key;
  }
  return std::nullopt;
}

bool SealTickets(SSL_CTX* context, const std::string& private_key_pem) {
  const std::optional<TicketSecret> made = TicketSecretOf(private_key_pem);
  if (!made) return false;
  auto secret = std::make_unique<TicketSecret>(*made);
  const std::unique_ptr<TicketSecret> before(
      static_cast<TicketSecret*>(SSL_CTX_get_ex_data(context, SecretIndex())));
  if (SSL_CTX_set_ex_data(context, SecretIndex(), secret.get()) != 1) return false;
  (void)secret.release();
  return SSL_CTX_set_tlsext_ticket_key_evp_cb(context, OnTicket) == 1;
}

}  // namespace ferry::net
