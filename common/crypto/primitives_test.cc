#include <gtest/gtest.h>

#include "common/crypto/ed25519.h"
#include "common/crypto/hash.h"
#include "common/crypto/x25519.h"

namespace ferry::crypto {
namespace {

Bytes Hex(std::string_view text) {
  return FromHex(text).value();
}

TEST(Hash, KnownAnswers) {
  // FIPS 180-4, the example "abc".
  EXPECT_EQ(Sha256Hex(AsBytes("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ToHex(Sha512(AsBytes("abc"))).substr(0, 32), "ddaf35a193617abacc417349ae204131");
  EXPECT_EQ(Sha256Hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Hash, StreamsEqualOneShot) {
  sys::SeededRandom random(1);
  Bytes data(5000);
  random.Fill(data);
  Sha256Stream stream;
  for (int round = 0; round < 20; ++round) {
    ByteView rest(data);
    while (!rest.empty()) {
      const size_t n = std::min<size_t>(rest.size(), random.Below(700));
      stream.Update(rest.first(n));
      rest = rest.subspan(n);
    }
    ASSERT_EQ(stream.Finish(), Sha256(data));
  }
}

// RFC 5869, test case 1.
TEST(Hkdf, KnownAnswer) {
  const Bytes input(22, 0x0b);
  const Sha256Digest prk = HkdfSha256Extract(Hex("000102030405060708090a0b0c"), input);
  EXPECT_EQ(ToHex(prk), "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5");
  EXPECT_EQ(ToHex(*HkdfSha256Expand(prk, Hex("f0f1f2f3f4f5f6f7f8f9"), 42)),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865");
}

TEST(Hkdf, Lengths) {
  const Bytes prk(32);
  EXPECT_TRUE(HkdfSha256Expand(prk, {}, 255 * 32).ok());
  EXPECT_EQ(HkdfSha256Expand(prk, {}, 255 * 32 + 1).code(), Code::kInvalidArgument);
  EXPECT_EQ(HkdfSha512Expand(prk, {}, 0).code(), Code::kInvalidArgument);
}

TEST(Compare, EqualOnlyWhenAllBytesAre) {
  EXPECT_TRUE(ConstantTimeEqual({}, {}));
  EXPECT_TRUE(ConstantTimeEqual(AsBytes("ab"), AsBytes("ab")));
  EXPECT_FALSE(ConstantTimeEqual(AsBytes("ab"), AsBytes("ac")));
  EXPECT_FALSE(ConstantTimeEqual(AsBytes("ab"), AsBytes("abc")));
}

// RFC 8032, section 7.1, test 2.
TEST(Ed25519, KnownAnswer) {
  const Secret32 seed =
      *Secret32::From(Hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"), "");
  const SigningKey key = SigningKey::FromSeed(seed);
  EXPECT_EQ(ToHex(key.public_key()),
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c");
  EXPECT_EQ(ToHex(key.Sign(Hex("72"))),
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00");
}

TEST(Ed25519, EveryFlippedByteIsRefused) {
  sys::SeededRandom random(2);
  const SigningKey key = SigningKey::Generate(random);
  Bytes message(50);
  random.Fill(message);
  Signature signature = key.Sign(message);
  ASSERT_TRUE(Verify(key.public_key(), message, signature));
  for (uint8_t& byte : signature) {
    byte ^= 0x40;
    EXPECT_FALSE(Verify(key.public_key(), message, signature));
    byte ^= 0x40;
  }
  for (uint8_t& byte : message) {
    byte ^= 1;
    EXPECT_FALSE(Verify(key.public_key(), message, signature));
    byte ^= 1;
  }
  EXPECT_FALSE(Verify(SigningKey::Generate(random).public_key(), message, signature));
  EXPECT_FALSE(Verify({}, message, signature));
  EXPECT_FALSE(Verify(key.public_key(), message, {}));
}

TEST(X25519, BothSidesAgree) {
  sys::SeededRandom random(3);
  for (int i = 0; i < 20; ++i) {
    const AgreementKey a = AgreementKey::Generate(random), b = AgreementKey::Generate(random);
    const auto ab = a.Agree(b.public_key()), ba = b.Agree(a.public_key());
    ASSERT_TRUE(ab.ok() && ba.ok());
    EXPECT_TRUE(ConstantTimeEqual(ab->bytes(), ba->bytes()));
  }
}

// The u coordinates of the points of small order, RFC 7748 section 6.1 and "may the fourth".
TEST(X25519, LowOrderPointsAreRefused) {
  sys::SeededRandom random(4);
  const AgreementKey key = AgreementKey::Generate(random);
  for (const char* point : {
           "0000000000000000000000000000000000000000000000000000000000000000",
           "0100000000000000000000000000000000000000000000000000000000000000",
           "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
           "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
           "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
           "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
           "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
       }) {
    EXPECT_EQ(key.Agree(Hex(point)).code(), Code::kInvalidArgument) << point;
  }
  EXPECT_EQ(key.Agree(Bytes(31)).code(), Code::kMalformed);
}

TEST(Secret, WrongLengthsAreNamed) {
  const auto secret = Secret32::From(Bytes(31), "the key of x");
  EXPECT_EQ(secret.code(), Code::kMalformed);
  EXPECT_NE(secret.status().message().find("the key of x: 31 bytes"), std::string::npos);
  EXPECT_EQ(ToPublicKey(Bytes(33), "k").code(), Code::kMalformed);
}

}  // namespace
}  // namespace ferry::crypto
