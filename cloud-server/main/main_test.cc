#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <optional>

#include "cloud-server/main/gated_executor.h"
#include "cloud-server/main/home.h"
#include "cloud-server/main/node.h"
#include "common/crypto/keyfile.h"
#include "common/net/client.h"
#include "common/sys/sim/filesystem.h"

namespace ferry::server {
namespace {

TEST(Home, MadeOnceAndOpened) {
  sys::SimFileSystem fs;
  sys::SeededRandom random(1);
  EXPECT_EQ(OpenHome(fs, "/srv").code(), Code::kNotFound);
  ServerConfig config;
  config.tenant = "acme";
  ASSERT_TRUE(MakeHome(fs, "/srv", config, random).ok());
  EXPECT_EQ(MakeHome(fs, "/srv", config, random).code(), Code::kAlreadyExists);
  const auto home = OpenHome(fs, "/srv");
  ASSERT_TRUE(home.ok()) << home.status().ToString();
  EXPECT_EQ(home->config.tenant, "acme");
  EXPECT_EQ(home->last_port, 0);
  const Bytes online = *sys::ReadFile(fs, "/srv/online-keys.json");
  const auto keys = trust::OnlineKeysFromText(AsText(online));
  ASSERT_TRUE(keys.ok());
  EXPECT_EQ(keys->escrow, home->secrets.escrow.public_key());
  EXPECT_EQ(keys->director, home->secrets.director.public_key());
  ASSERT_TRUE(SavePorts(fs, *home, 7443, 8080).ok());
  EXPECT_EQ(OpenHome(fs, "/srv")->last_port, 7443);
  for (const char* file :
       {"keys/snapshot.key", "keys/escrow.key", "ca.key", "server.key", "ferry.db"}) {
    EXPECT_EQ(fs.Stat(home->Path(file))->permissions, 0600) << file;
  }
}

TEST(Home, TenantsNamesCanStandInCertificatesAndContexts) {
  sys::SimFileSystem fs;
  sys::SeededRandom random(3);
  for (const std::string& name : {std::string(), std::string("a|b"), std::string("a b"),
                                  std::string("a\nb"), std::string(59, 'a')}) {
    ServerConfig config;
    config.tenant = name;
    EXPECT_EQ(MakeHome(fs, "/srv", config, random).code(), Code::kInvalidArgument) << name;
  }
  ServerConfig config;
  config.tenant = "Acme-2.eu_" + std::string(48, 'a');
  EXPECT_TRUE(MakeHome(fs, "/srv", config, random).ok());
}

TEST(Home, MissingFilesAreNamed) {
  sys::SimFileSystem fs;
  sys::SeededRandom random(2);
  ASSERT_TRUE(MakeHome(fs, "/srv", {}, random).ok());
  ASSERT_TRUE(fs.Remove("/srv/keys/director.key").ok());
  const auto home = OpenHome(fs, "/srv");
  EXPECT_EQ(home.code(), Code::kNotFound);
  EXPECT_NE(home.status().message().find("director.key"), std::string::npos);
}

TEST(GatedExecutorTest, DropsTasksOnceClosed) {
  GatedExecutor executor("test");
  std::mutex mutex;
  std::condition_variable changed;
  int runs = 0;
  executor.Post([&] {
    std::lock_guard lock(mutex);
    ++runs;
    changed.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(20), [&] { return runs == 1; }));
  }
  executor.Close();
  executor.Post([&] { ++runs; });
  executor.Cancel(executor.PostAfter(0, [&] { ++runs; }));
  executor.Close();
  EXPECT_EQ(runs, 1);
}

class NodeTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/ferry-node-XXXXXX";
    directory_ = mkdtemp(name);
    ASSERT_TRUE(MakeHome(fs_, directory_ + "/srv", {}, sys::SystemRandom()).ok());
  }
  void TearDown() override { (void)fs_.RemoveTree(directory_); }
  Status Dial(const sys::Endpoint& to, const std::string& authority) {
    net::IoThreads io;
    auto executor = sys::StartThreadExecutor("test");
    net::ClientOptions options;
    options.authority = authority;
    auto dialer = net::MakeTlsDialer(io, *executor, options).value();
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Status> status;
    executor->Post([&] {
      dialer->Dial(to, [&](Result<std::unique_ptr<sys::FrameChannel>> result) {
        std::lock_guard lock(mutex);
        status = result.status();
        changed.notify_all();
      });
    });
    std::unique_lock lock(mutex);
    changed.wait_for(lock, std::chrono::seconds(20), [&] { return status.has_value(); });
    return status.value_or(Status(Code::kDeadlineExceeded, "no answer"));
  }

  sys::FileSystem& fs_ = sys::SystemFileSystem();
  std::string directory_;
};

TEST_F(NodeTest, StartsServesAndStops) {
  const auto home = OpenHome(fs_, directory_ + "/srv");
  ASSERT_TRUE(home.ok()) << home.status().ToString();
  for (int round = 0; round < 2; ++round) {
    auto node = Node::Start(*home, {});
    ASSERT_TRUE(node.ok()) << node.status().ToString();
    EXPECT_NE((*node)->admin_port(), 0);
    const sys::Endpoint door{"127.0.0.1", (*node)->port()};
    EXPECT_TRUE(Dial(door, home->authority_pin).ok());
    EXPECT_EQ(Dial(door, "sha256:" + std::string(64, '0')).code(), Code::kUntrustedServer);
    node->reset();
    EXPECT_EQ(Dial(door, home->authority_pin).code(), Code::kUnavailable);
  }
  EXPECT_NE(OpenHome(fs_, directory_ + "/srv")->last_port, 0);
}

TEST_F(NodeTest, ATakenPortIsNamed) {
  const auto home = OpenHome(fs_, directory_ + "/srv");
  auto node = Node::Start(*home, {});
  ASSERT_TRUE(node.ok()) << node.status().ToString();
  NodeOptions options;
  options.port = (*node)->port();
  const auto second = Node::Start(*home, options);
  EXPECT_EQ(second.code(), Code::kUnavailable);
  EXPECT_NE(second.status().message().find(std::to_string(options.port)), std::string::npos);
}

// The store of a server that does not run.
TEST_F(NodeTest, PasswordsAndTokensWithoutARun) {
  const auto home = OpenHome(fs_, directory_ + "/srv");
  EXPECT_TRUE(WithAdmin(*home, [](const AdminOptions& admin) {
                return SetAdminPassword(admin, "a long enough password");
              }).ok());
  EXPECT_EQ(
      WithAdmin(*home,
                [](const AdminOptions& admin) { return MakeJoinToken(admin, 1, 1000).status(); })
          .code(),
      Code::kNotFound);  // no root was uploaded yet
}

}  // namespace
}  // namespace ferry::server
