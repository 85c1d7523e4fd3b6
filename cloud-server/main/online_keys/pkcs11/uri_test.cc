#include "cloud-server/main/online_keys/pkcs11/uri.h"

#include <gtest/gtest.h>

namespace ferry::server {
namespace {

std::string Refusal(std::string_view text) {
  const Result<Pkcs11Uri> uri = ParsePkcs11Uri(text);
  EXPECT_EQ(uri.code(), Code::kInvalidArgument) << text;
  return std::string(uri.status().message());
}

TEST(Pkcs11UriTest, NamesTokenKeyAndModule) {
  const auto uri = ParsePkcs11Uri(
      "pkcs11:token=Ferry%20one;serial=0A;object=key%2dring;type=secret-key"
      "?module-path=/usr/lib/x%25.so&pin-source=file:/run/pin");
  ASSERT_TRUE(uri.ok()) << uri.status().ToString();
  EXPECT_EQ(uri->token, "Ferry one");
  EXPECT_EQ(uri->serial, "0A");
  EXPECT_EQ(uri->object, "key-ring");
  EXPECT_EQ(uri->module, "/usr/lib/x%.so");
  EXPECT_EQ(uri->pin_source, "/run/pin");
}

TEST(Pkcs11UriTest, TheOnlyTokenNeedsNoName) {
  const auto uri = ParsePkcs11Uri("pkcs11:object=k?module-path=m.so");
  ASSERT_TRUE(uri.ok()) << uri.status().ToString();
  EXPECT_EQ(uri->token, "");
  EXPECT_EQ(uri->pin_source, "");
}

TEST(Pkcs11UriTest, RefusesByName) {
  EXPECT_NE(Refusal("file:x").find("pkcs11:"), std::string::npos);
  EXPECT_NE(Refusal("pkcs11:token=t?module-path=m").find("object="), std::string::npos);
  EXPECT_NE(Refusal("pkcs11:object=k").find("module-path"), std::string::npos);
  EXPECT_NE(Refusal("pkcs11:object=k;object=l?module-path=m").find("twice"), std::string::npos);
  EXPECT_NE(Refusal("pkcs11:object=k;colour=red?module-path=m").find("colour"), std::string::npos);
  EXPECT_NE(Refusal("pkcs11:object=%4?module-path=m").find("%"), std::string::npos);
  EXPECT_NE(Refusal("pkcs11:object=%4g?module-path=m").find("%"), std::string::npos);
  EXPECT_NE(Refusal("pkcs11:object=?module-path=m").find("empty"), std::string::npos);
  EXPECT_NE(Refusal("pkcs11:object=k;type=cert?module-path=m").find("type"), std::string::npos);
}

TEST(Pkcs11UriTest, APinInTheUriIsRefusedWithoutBeingShown) {
  const std::string text = Refusal("pkcs11:object=k?module-path=m&pin-value=1234");
  EXPECT_NE(text.find("FERRY_PKCS11_PIN"), std::string::npos);
  EXPECT_EQ(text.find("1234"), std::string::npos);
}

}  // namespace
}  // namespace ferry::server
