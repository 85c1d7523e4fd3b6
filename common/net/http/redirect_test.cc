// A server sends a fetch on to a web server, here another one with TLS under an authority that the
// environment names.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/net/test_support.h"

namespace ferry::net {
namespace {

class RedirectTest : public NetTest {
 protected:
  void SetUp() override {
    StartServer();  // its certificate serves the other one too
    ServerOptions options;
    options.certificate_pem = certificate_.certificate_pem;
    options.private_key_pem = certificate_.private_key_pem;
    web_content_.is_open = true;
    auto web = TlsServer::Start(io_, {server_executor_.get()}, options, &web_content_,
                                [](std::unique_ptr<sys::FrameChannel>, sys::Executor&) {});
    ASSERT_TRUE(web.ok()) << web.status().ToString();
    web_ = std::move(*web);
    content_.elsewhere = Url("127.0.0.1");
    ASSERT_TRUE(sys::WriteFileAtomically(content_.fs, "/c", ToBytes("from here")).ok());
    ASSERT_TRUE(sys::WriteFileAtomically(web_content_.fs, "/c", ToBytes("elsewhere")).ok());
    folder_ = testing::TempDir() + "/redirect_test_" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ + "/authority.pem") << TestAuthority().certificate_pem;
    BelieveAuthority(true);
    MakeDialer();
  }
  void TearDown() override {
    NetTest::TearDown();
    web_.reset();
    unsetenv("SSL_CERT_FILE");
    std::filesystem::remove_all(folder_);
  }
  void BelieveAuthority(bool believed) {
    setenv("SSL_CERT_FILE", (folder_ + (believed ? "/authority.pem" : "/none.pem")).c_str(), 1);
  }
  std::string Url(const std::string& host) {
    return "https://" + host + ":" + std::to_string(web_->port()) + "/c?signature=1";
  }
  std::string Got(const std::string& path, uint64_t offset = 0) {
    Bytes bytes(offset);
    const Status status = Fetch(path, offset, &bytes);
    if (!status.ok()) return status.ToString();
    return std::string(AsText(ByteView(bytes).subspan(offset)));
  }

  TestContent web_content_;
  std::unique_ptr<TlsServer> web_;
  std::string folder_;
};

TEST_F(RedirectTest, WhoMayFollowDoesAndTellsNoToken) {
  EXPECT_EQ(Got("/c?redirect"), "elsewhere");
  EXPECT_EQ(Got("/c?redirect", 4), "where");
  EXPECT_EQ(web_content_.authorizations, "");
  const std::string place = "https://127.0.0.1:" + std::to_string(web_->port());
  EXPECT_EQ(moved_, place + place) << "without the target, which may be signed";
  EXPECT_EQ(Got("/c"), "from here");
  EXPECT_EQ(Got("/c?else=1"), "from here");
}

TEST_F(RedirectTest, OnceAndNotAgain) {
  web_content_.elsewhere = "http://127.0.0.1:1/";
  content_.elsewhere = "https://127.0.0.1:" + std::to_string(web_->port()) + "/c?redirect";
  Bytes bytes;
  EXPECT_EQ(Fetch("/c?redirect", 0, &bytes).code(), Code::kInternal) << "a second 307";
  EXPECT_TRUE(bytes.empty());
}

TEST_F(RedirectTest, WhatFailsElsewhereIsSaid) {
  content_.elsewhere = "https://127.0.0.1:1/c";
  Bytes bytes;
  EXPECT_EQ(Fetch("/c?redirect", 0, &bytes).code(), Code::kUnavailable);
  content_.elsewhere = "gopher://h";
  EXPECT_EQ(Fetch("/c?redirect", 0, &bytes).code(), Code::kMalformed);
  EXPECT_TRUE(bytes.empty());
}

TEST_F(RedirectTest, AWebServerThatNobodyVouchesForGivesNothing) {
  BelieveAuthority(false);
  Bytes bytes;
  EXPECT_EQ(Fetch("/c?redirect", 0, &bytes).code(), Code::kUnavailable);
  EXPECT_TRUE(bytes.empty());
}

TEST_F(RedirectTest, NorOneUnderAnotherName) {
  content_.elsewhere = Url("localhost");
  Bytes bytes;
  EXPECT_EQ(Fetch("/c?redirect", 0, &bytes).code(), Code::kUnavailable);
  EXPECT_TRUE(bytes.empty());
}

}  // namespace
}  // namespace ferry::net
