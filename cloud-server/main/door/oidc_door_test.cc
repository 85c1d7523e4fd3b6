// What is wrong with the options of an issuer is said at the start, by the option's name.
#include "cloud-server/main/door/oidc_door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "common/sys/sim/filesystem.h"

namespace ferry::server {
namespace {

using testing::HasSubstr;

struct DoorOptions {
  DoorOptions() {
    options.issuer = "https://login.example";
    options.client = "ferry";
    options.roles = {"ml=releaser;packages=digits*", "*=viewer"};
  }
  void Put(const std::string& path, const std::string& text, int permissions) {
    EXPECT_TRUE(sys::WriteFileAtomically(fs, path, AsBytes(text), permissions).ok());
  }
  Result<std::unique_ptr<oidc::SignIn>> Make() {
    return MakeSignIn(options, fs, sys::SystemClock(), sys::SystemRandom());
  }
  std::string Wrong(const std::function<void(OidcDoorOptions*)>& change) {
    const OidcDoorOptions before = options;
    change(&options);
    const Status status = Make().status();
    options = before;
    return status.message();
  }

  sys::SimFileSystem fs;
  OidcDoorOptions options;
};

TEST(OidcDoor, GoodOptionsMakeASignIn) {
  DoorOptions door;
  door.Put("/secret", "s3cret\n", 0600);
  door.options.secret_file = "/secret";
  const auto made = door.Make();
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ((*made)->options().name, "login.example");
  EXPECT_EQ((*made)->options().client.secret, "s3cret");
  EXPECT_EQ((*made)->options().roles.size(), 2U);
}

TEST(OidcDoor, NoIssuerIsNone) {
  sys::SimFileSystem fs;
  const auto made = MakeSignIn({}, fs, sys::SystemClock(), sys::SystemRandom());
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(*made, nullptr);
}

TEST(OidcDoor, EachMistakeIsNamed) {
  DoorOptions door;
  door.Put("/empty", "\n", 0600);
  door.Put("/open", "s3cret", 0644);
  const auto wrong = [&](const std::function<void(OidcDoorOptions*)>& change) {
    return door.Wrong(change);
  };
  EXPECT_THAT(wrong([](auto* o) { o->issuer = ""; }), HasSubstr("--oidc-issuer is missing"));
  EXPECT_THAT(wrong([](auto* o) { o->issuer = "login.example"; }), HasSubstr("--oidc-issuer"));
  EXPECT_THAT(wrong([](auto* o) { o->issuer = "http://login.example"; }),
              HasSubstr("http is for loopback only"));
  EXPECT_THAT(wrong([](auto* o) { o->client = ""; }), HasSubstr("--oidc: client: missing"));
  EXPECT_THAT(wrong([](auto* o) { o->roles.clear(); }), HasSubstr("--oidc: roles: 0"));
  EXPECT_THAT(wrong([](auto* o) { o->roles = {"ml"}; }), HasSubstr("--oidc-role: \"ml\""));
  EXPECT_THAT(wrong([](auto* o) { o->roles = {"ml=boss"}; }),
              HasSubstr("--oidc-role: \"ml\": role \"boss\""));
  EXPECT_THAT(wrong([](auto* o) { o->secret_file = "/none"; }), HasSubstr("--oidc-secret-file"));
  EXPECT_THAT(wrong([](auto* o) { o->secret_file = "/empty"; }), HasSubstr("/empty is empty"));
  EXPECT_THAT(wrong([](auto* o) { o->secret_file = "/open"; }), HasSubstr("everybody may read"));
  EXPECT_THAT(wrong([](auto* o) { o->ca_file = "/open"; }), HasSubstr("holds no certificate"));
  EXPECT_THAT(wrong([](auto* o) { o->return_url = "https://ferry.example/"; }),
              HasSubstr("wanted https://HOST/api/v1/oidc/return"));
  EXPECT_THAT(wrong([](auto* o) { o->scope = "profile"; }), HasSubstr("openid"));
}

}  // namespace
}  // namespace ferry::server
