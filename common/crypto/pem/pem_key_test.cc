#include "common/crypto/pem/pem_key.h"

#include <gtest/gtest.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "common/crypto/openssl.h"

namespace ferry::crypto {
namespace {

std::string PemOf(EVP_PKEY* key) {
  OpensslPtr<BIO> bio(BIO_new(BIO_s_mem()));
  EXPECT_EQ(PEM_write_bio_PUBKEY(bio.get(), key), 1);
  char* text = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &text);
  return std::string(text, static_cast<size_t>(length));
}

Bytes SignWith(EVP_PKEY* key, ByteView message, bool pss) {
  OpensslPtr<EVP_MD_CTX> context(EVP_MD_CTX_new());
  EVP_PKEY_CTX* options = nullptr;
  EXPECT_EQ(EVP_DigestSignInit(context.get(), &options, EVP_sha256(), nullptr, key), 1);
  EXPECT_TRUE(!pss || EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1);
  Bytes out(1024);
  size_t size = out.size();
  EXPECT_EQ(EVP_DigestSign(context.get(), out.data(), &size, message.data(), message.size()), 1);
  out.resize(size);
  return out;
}

void ExpectVerifies(PemScheme scheme, EVP_PKEY* key, bool pss) {
  const auto parsed = PemKey::Parse(scheme, PemOf(key));
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
  const Bytes message = ToBytes("a message");
  Bytes signature = SignWith(key, message, pss);
  EXPECT_TRUE(parsed->Verify(message, signature));
  EXPECT_FALSE(parsed->Verify(ToBytes("another message"), signature));
  EXPECT_FALSE(parsed->Verify(message, {}));
  signature[signature.size() / 2] ^= 1;
  EXPECT_FALSE(parsed->Verify(message, signature));
}

TEST(PemKey, VerifiesEcdsaAndRsaPss) {
  OpensslPtr<EVP_PKEY> curve(EVP_EC_gen("P-256")), rsa(EVP_RSA_gen(2048));
  ExpectVerifies(PemScheme::kEcdsaP256, curve.get(), false);
  ExpectVerifies(PemScheme::kRsaPss, rsa.get(), true);
  const auto key = PemKey::Parse(PemScheme::kRsaPss, PemOf(rsa.get()));
  EXPECT_FALSE(key->Verify(ToBytes("m"), SignWith(rsa.get(), ToBytes("m"), false)))
      << "PKCS #1 1.5 is another scheme";
}

TEST(PemKey, RefusesOtherKindsAndSizes) {
  OpensslPtr<EVP_PKEY> other(EVP_EC_gen("P-384")), small(EVP_RSA_gen(1024));
  EXPECT_EQ(PemKey::Parse(PemScheme::kEcdsaP256, PemOf(other.get())).code(), Code::kUnsupported);
  EXPECT_EQ(PemKey::Parse(PemScheme::kRsaPss, PemOf(other.get())).code(), Code::kUnsupported);
  EXPECT_EQ(PemKey::Parse(PemScheme::kRsaPss, PemOf(small.get())).code(), Code::kUnsupported);
  EXPECT_EQ(PemKey::Parse(PemScheme::kRsaPss, "no key").code(), Code::kMalformed);
  EXPECT_EQ(PemKey::Parse(PemScheme::kRsaPss, std::string(kMaxPemBytes + 1, 'A')).code(),
            Code::kMalformed);
}

}  // namespace
}  // namespace ferry::crypto
