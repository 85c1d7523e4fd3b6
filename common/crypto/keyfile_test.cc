#include "common/crypto/keyfile.h"

#include <gtest/gtest.h>

#include "common/crypto/hash.h"
#include "common/sys/sim/filesystem.h"

namespace ferry::crypto {
namespace {

class KeyFileTest : public testing::Test {
 protected:
  void Put(const std::string& path, std::string_view text, int permissions = 0600) {
    (void)fs_.Remove(path);
    ASSERT_TRUE(sys::WriteFileAtomically(fs_, path, AsBytes(text), permissions).ok());
  }
  sys::SimFileSystem fs_;
  sys::SeededRandom random_{1};
};

TEST_F(KeyFileTest, RoundTrips) {
  const SigningKey signing = SigningKey::Generate(random_);
  const AgreementKey agreement = AgreementKey::Generate(random_);
  const Secret32 secret = Secret32::Generate(random_);
  ASSERT_TRUE(WriteKey(fs_, "/s", signing).ok());
  ASSERT_TRUE(WriteKey(fs_, "/a", agreement).ok());
  ASSERT_TRUE(WriteKey(fs_, "/k", secret).ok());
  EXPECT_EQ(fs_.Stat("/s")->permissions, 0600);
  EXPECT_EQ(ReadSigningKey(fs_, "/s")->public_key(), signing.public_key());
  EXPECT_EQ(ReadAgreementKey(fs_, "/a")->public_key(), agreement.public_key());
  EXPECT_TRUE(ConstantTimeEqual(ReadSecret(fs_, "/k")->bytes(), secret.bytes()));
  EXPECT_EQ(ReadSigningKey(fs_, "/a").code(), Code::kMalformed);
  EXPECT_EQ(ReadSecret(fs_, "/a").code(), Code::kMalformed);
  EXPECT_EQ(ReadSigningKey(fs_, "/none").code(), Code::kNotFound);
}

// RFC 8410, section 10.3: the example key.
TEST_F(KeyFileTest, ReadsPem) {
  Put("/p",
      "-----BEGIN PRIVATE KEY-----\n"
      "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
      "-----END PRIVATE KEY-----\n");
  const auto key = ReadSigningKey(fs_, "/p");
  ASSERT_TRUE(key.ok()) << key.status().ToString();
  EXPECT_EQ(ToHex(key->public_key()),
            "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1");
  EXPECT_EQ(ReadAgreementKey(fs_, "/p").code(), Code::kMalformed);
  Put("/p", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n");
  EXPECT_EQ(ReadSigningKey(fs_, "/p").code(), Code::kMalformed);
}

TEST_F(KeyFileTest, OthersMustNotReadIt) {
  const SigningKey key = SigningKey::Generate(random_);
  ASSERT_TRUE(WriteKey(fs_, "/s", key).ok());
  const Bytes text = *sys::ReadFile(fs_, "/s");
  for (int permissions : {0640, 0604, 0660, 0610}) {
    Put("/t", AsText(text), permissions);
    const auto read = ReadSigningKey(fs_, "/t");
    EXPECT_EQ(read.code(), Code::kPermissionDenied);
    EXPECT_NE(read.status().message().find("/t"), std::string::npos);
  }
  Put("/t", AsText(text), 0400);
  EXPECT_TRUE(ReadSigningKey(fs_, "/t").ok());
}

TEST_F(KeyFileTest, BadFilesAreNamed) {
  const std::string hex(64, 'a'), other(64, 'b');
  for (const std::string& text : {
           std::string(""),
           std::string("{}"),
           std::string("[1"),
           std::string(R"({"type":"ferry-key","kind":"ed25519"})"),
           std::string(R"({"type":"ferry-key","kind":"ed25519","private":"zz"})"),
           std::string(R"({"type":"ferry-key","kind":"ed25519","private":"aabb"})"),
           std::string(R"({"type":"ferry-key","kind":"ed25519","private":7})"),
           R"({"type":"ferry-key","kind":"ed25519","private":")" + hex + R"(","public":")" + other +
               "\"}",
       }) {
    Put("/b", text);
    const auto key = ReadSigningKey(fs_, "/b");
    EXPECT_EQ(key.code(), Code::kMalformed) << text;
    EXPECT_NE(key.status().message().find("/b"), std::string::npos) << text;
  }
  Put("/b", std::string(kMaxKeyFileBytes + 1, ' '));
  EXPECT_EQ(ReadSigningKey(fs_, "/b").code(), Code::kLimitExceeded);
}

}  // namespace
}  // namespace ferry::crypto
