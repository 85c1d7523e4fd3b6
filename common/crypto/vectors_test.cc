// The public vectors (Wycheproof, RFC 9180) in ../shared/testdata, when they are there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "common/base/json.h"
#include "common/crypto/aead.h"
#include "common/crypto/ed25519.h"
#include "common/crypto/hash.h"
#include "common/crypto/hpke.h"
#include "common/crypto/x25519.h"
#include "common/sys/filesystem.h"

namespace ferry::crypto {
namespace {

class Vectors : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string archive =
        std::string(FERRY_SOURCE_DIR) + "/../shared/testdata/security-vectors.tar.xz";
    if (!sys::Exists(sys::SystemFileSystem(), archive)) return;
    char name[] = "/tmp/ferry-vectors-XXXXXX";
    folder_ = mkdtemp(name);
    const std::string command =
        "tar -xJf '" + archive + "' -C '" + folder_ + "' --exclude='*JSONTestSuite*'";
    if (std::system(command.c_str()) != 0) ADD_FAILURE() << command;
  }
  static void TearDownTestSuite() {
    if (!folder_.empty()) (void)sys::SystemFileSystem().RemoveTree(folder_);
  }
  void SetUp() override {
    if (folder_.empty()) {
      GTEST_SKIP() << "SKIPPED: ../shared/testdata/security-vectors.tar.xz is absent";
    }
  }
  static Json Load(const std::string& name) {
    const auto text = sys::ReadFile(sys::SystemFileSystem(), folder_ + "/security-vectors/" + name);
    EXPECT_TRUE(text.ok()) << text.status().ToString();
    auto json = ParseJson(AsText(*text));
    EXPECT_TRUE(json.ok()) << json.status().ToString();
    return std::move(*json);
  }
  static Bytes Hex(const Json& object, const char* key) {
    return FromHex(GetString(object, key).value()).value();
  }
  // Calls check(group, test, valid) for each test whose result is clear.
  template <typename F>
  static int ForEach(const std::string& name, F check) {
    const Json json = Load(name);
    int count = 0;
    for (const Json& group : **GetArray(json, "testGroups")) {
      for (const Json& test : **GetArray(group, "tests")) {
        const std::string result = GetString(test, "result").value();
        SCOPED_TRACE(name + " " + std::to_string(GetInt(test, "tcId").value()));
        check(group, test, result);
        ++count;
      }
    }
    return count;
  }

  static inline std::string folder_;
};

TEST_F(Vectors, Ed25519) {
  EXPECT_GT(ForEach("ed25519_test.json",
                    [](const Json& group, const Json& test, const std::string& result) {
                      const Bytes key = Hex(**GetObject(group, "publicKey"), "pk");
                      EXPECT_EQ(Verify(key, Hex(test, "msg"), Hex(test, "sig")), result == "valid");
                    }),
            100);
}

TEST_F(Vectors, X25519) {
  ForEach("x25519_test.json", [](const Json&, const Json& test, const std::string& result) {
    const auto scalar = Secret32::From(Hex(test, "private"), "private");
    const Bytes expected = Hex(test, "shared");
    const auto shared = AgreementKey::FromPrivate(*scalar).Agree(Hex(test, "public"));
    if (expected == Bytes(32)) {
      EXPECT_EQ(shared.code(), Code::kInvalidArgument);  // low order
    } else if (result != "invalid") {
      ASSERT_TRUE(shared.ok());
      EXPECT_EQ(ToHex(shared->bytes()), ToHex(expected));
    }
  });
}

TEST_F(Vectors, Aes256Gcm) {
  int done = 0;
  ForEach("aes_gcm_test.json", [&](const Json& group, const Json& test, const std::string& result) {
    if (GetInt(group, "keySize").value() != 256 || GetInt(group, "ivSize").value() != 96) return;
    ++done;
    Aead aead(Hex(test, "key"));
    const Bytes plain = Hex(test, "msg");
    Bytes sealed = Hex(test, "ct"), opened(plain.size()), made(plain.size() + kAeadTagBytes);
    const Bytes tag = Hex(test, "tag");
    sealed.insert(sealed.end(), tag.begin(), tag.end());
    const bool ok = aead.Open(Hex(test, "iv"), Hex(test, "aad"), sealed, opened.data());
    EXPECT_EQ(ok, result == "valid");
    if (!ok) return;
    EXPECT_EQ(opened, plain);
    aead.Seal(Hex(test, "iv"), Hex(test, "aad"), plain, made.data());
    EXPECT_EQ(made, sealed);
  });
  EXPECT_GT(done, 50);
}

TEST_F(Vectors, HkdfSha256) {
  ForEach("hkdf_sha256_test.json", [](const Json&, const Json& test, const std::string& result) {
    const Sha256Digest prk = HkdfSha256Extract(Hex(test, "salt"), Hex(test, "ikm"));
    const auto out =
        HkdfSha256Expand(prk, Hex(test, "info"), static_cast<size_t>(GetInt(test, "size").value()));
    EXPECT_EQ(out.ok(), result == "valid");
    if (out.ok()) {
      EXPECT_EQ(ToHex(*out), ToHex(Hex(test, "okm")));
    }
  });
}

TEST_F(Vectors, HmacSha256) {
  ForEach("hmac_sha256_test.json", [](const Json&, const Json& test, const std::string& result) {
    const Bytes tag = Hex(test, "tag");
    const Sha256Digest mac = HmacSha256(Hex(test, "key"), Hex(test, "msg"));
    EXPECT_EQ(ConstantTimeEqual(ByteView(mac).first(tag.size()), tag), result == "valid");
  });
}

TEST_F(Vectors, HpkeOfOurSuite) {
  const Json json = Load("hpke_rfc9180_x25519_hkdf_sha256.json");
  int done = 0;
  for (const Json& vector : json) {
    if (GetInt(vector, "mode").value() != 0 || GetInt(vector, "aead_id").value() != 2) continue;
    const auto key = AgreementKey::FromPrivate(*Secret32::From(Hex(vector, "skRm"), "skRm"));
    const Json& first = (**GetArray(vector, "encryptions")).front();
    const auto plain =
        HpkeOpen(key, Hex(vector, "enc"), Hex(vector, "info"), Hex(first, "aad"), Hex(first, "ct"));
    ASSERT_TRUE(plain.ok());
    EXPECT_EQ(*plain, Hex(first, "pt"));
    ++done;
  }
  EXPECT_GE(done, 1);
}

}  // namespace
}  // namespace ferry::crypto
