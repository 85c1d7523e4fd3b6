#include "common/crypto/hpke.h"

#include <gtest/gtest.h>

namespace ferry::crypto {
namespace {

// Gives the bytes of the vector's ephemeral key.
class FixedRandom : public sys::Random {
 public:
  explicit FixedRandom(Bytes bytes) : bytes_(std::move(bytes)) {}
  void Fill(std::span<uint8_t> out) override {
    ASSERT_EQ(out.size(), bytes_.size());
    std::copy(bytes_.begin(), bytes_.end(), out.begin());
  }

 private:
  Bytes bytes_;
};

Bytes BytesOfHex(std::string_view text) {
  return FromHex(text).value();
}

// The vector of RFC 9180 for base mode and our suite, its first message.
struct Rfc {
  Bytes recipient_private =
      BytesOfHex("497b4502664cfea5d5af0b39934dac72242a74f8480451e1aee7d6a53320333d");
  Bytes recipient_public =
      BytesOfHex("430f4b9859665145a6b1ba274024487bd66f03a2dd577d7753c68d7d7d00c00c");
  Bytes ephemeral_private =
      BytesOfHex("179d4b53b6365c45b600c4163b61d95cbc2f4d9e36f1695558dce265ab8bab11");
  Bytes enc = BytesOfHex("6c93e09869df3402d7bf231bf540fadd35cd56be14f97178f0954db94b7fc256");
  Bytes info = BytesOfHex("4f6465206f6e2061204772656369616e2055726e");
  Bytes aad = BytesOfHex("436f756e742d30");
  Bytes plain = BytesOfHex("4265617574792069732074727574682c20747275746820626561757479");
  Bytes sealed = BytesOfHex(
      "e5d84cd531cfb583096e7cfa9641bd3079cf3a91cda813c52deb5f512be9931980a41de125a925cdad859d5b7a");
};

TEST(Hpke, SealsAsTheRfcDoes) {
  const Rfc rfc;
  FixedRandom random(rfc.ephemeral_private);
  const auto message = HpkeSeal(rfc.recipient_public, rfc.info, rfc.aad, rfc.plain, random);
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(ToHex(message->enc), ToHex(rfc.enc));
  EXPECT_EQ(ToHex(message->ciphertext), ToHex(rfc.sealed));
}

TEST(Hpke, OpensAsTheRfcDoes) {
  const Rfc rfc;
  const auto key = AgreementKey::FromPrivate(*Secret32::From(rfc.recipient_private, ""));
  EXPECT_EQ(ToHex(key.public_key()), ToHex(rfc.recipient_public));
  const auto plain = HpkeOpen(key, rfc.enc, rfc.info, rfc.aad, rfc.sealed);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(*plain, rfc.plain);
}

TEST(Hpke, AnyDifferenceIsRefused) {
  sys::SeededRandom random(5);
  const AgreementKey key = AgreementKey::Generate(random), other = AgreementKey::Generate(random);
  const Bytes info = ToBytes("tenant|release|device|key");
  const Bytes aad(32, 7), plain(32, 9);
  auto message = HpkeSeal(key.public_key(), info, aad, plain, random);
  ASSERT_TRUE(message.ok());
  EXPECT_EQ(message->ciphertext.size(), 48u);
  EXPECT_EQ(*HpkeOpen(key, message->enc, info, aad, message->ciphertext), plain);
  EXPECT_EQ(HpkeOpen(other, message->enc, info, aad, message->ciphertext).code(), Code::kWrongKey);
  EXPECT_EQ(HpkeOpen(key, message->enc, aad, aad, message->ciphertext).code(), Code::kWrongKey);
  EXPECT_EQ(HpkeOpen(key, message->enc, info, info, message->ciphertext).code(), Code::kWrongKey);
  for (uint8_t& byte : message->ciphertext) {
    byte ^= 1;
    EXPECT_EQ(HpkeOpen(key, message->enc, info, aad, message->ciphertext).code(), Code::kWrongKey);
    byte ^= 1;
  }
  EXPECT_EQ(HpkeOpen(key, message->enc, info, aad, Bytes(15)).code(), Code::kMalformed);
  EXPECT_EQ(HpkeOpen(key, Bytes(31), info, aad, message->ciphertext).code(), Code::kMalformed);
  EXPECT_EQ(HpkeOpen(key, Bytes(32), info, aad, message->ciphertext).code(),
            Code::kInvalidArgument);
  EXPECT_EQ(HpkeSeal(Bytes(32), info, aad, plain, random).code(), Code::kInvalidArgument);
}

TEST(Hpke, EmptyMessages) {
  sys::SeededRandom random(6);
  const AgreementKey key = AgreementKey::Generate(random);
  const auto message = HpkeSeal(key.public_key(), {}, {}, {}, random);
  ASSERT_TRUE(message.ok());
  EXPECT_TRUE(HpkeOpen(key, message->enc, {}, {}, message->ciphertext)->empty());
}

}  // namespace
}  // namespace ferry::crypto
