#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <optional>

#include "cloud-server/main/commands.h"
#include "cloud-server/main/door/admin_door.h"
#include "cloud-server/main/gated_executor.h"
#include "cloud-server/main/home.h"
#include "cloud-server/main/node.h"
#include "cloud-server/main/online_keys/key_files.h"
#include "common/crypto/keyfile.h"
#include "common/net/certificate.h"
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

const std::vector<std::string> kDirectorAndEscrow = {"director", "escrow"};

// The keys of a root that names what waits.
OnlineSecrets Taken(KeyFiles& files) {
  OnlineSecrets next = files.Read().value();
  const WaitingKeys waiting = files.Waiting().value();
  next.old_escrow.insert(next.old_escrow.begin(), next.escrow);
  next.director = *waiting.director;
  next.escrow = *waiting.escrow;
  return next;
}

TEST(Keys, WaitBesideThoseInUseUntilARootNamesThem) {
  sys::SimFileSystem fs;
  sys::SeededRandom random(4);
  ASSERT_TRUE(MakeHome(fs, "/srv", {}, random).ok());
  KeyFiles files(fs, "/srv");
  const OnlineSecrets before = files.Read().value();
  EXPECT_EQ(*files.MakeWaiting(kDirectorAndEscrow, false, random), kDirectorAndEscrow);
  const WaitingKeys waiting = files.Waiting().value();
  EXPECT_TRUE(waiting.director && waiting.escrow && !waiting.snapshot && !waiting.timestamp);
  EXPECT_EQ(files.Read()->director.public_key(), before.director.public_key());
  // Once more makes no others: the publisher may have the first on his way already.
  EXPECT_TRUE(files.MakeWaiting(kDirectorAndEscrow, false, random)->empty());
  EXPECT_EQ(files.Waiting()->director->public_key(), waiting.director->public_key());
  ASSERT_TRUE(files.Settle(before).ok());
  EXPECT_TRUE(files.Waiting()->director) << "no root names it yet";

  ASSERT_TRUE(files.Settle(Taken(files)).ok());
  const OnlineSecrets after = files.Read().value();
  EXPECT_EQ(after.director.public_key(), waiting.director->public_key());
  EXPECT_EQ(after.escrow.public_key(), waiting.escrow->public_key());
  EXPECT_EQ(after.snapshot.public_key(), before.snapshot.public_key());
  ASSERT_EQ(after.old_escrow.size(), 1u);
  EXPECT_EQ(after.old_escrow[0].public_key(), before.escrow.public_key());
  EXPECT_FALSE(files.Waiting()->director);
  EXPECT_EQ(fs.Stat("/srv/keys/director.key")->permissions, 0600);
  const std::vector<std::string> content = {"content"};
  EXPECT_EQ(files.MakeWaiting(content, false, random).code(), Code::kInvalidArgument);
}

// Whichever change of the disk is the last: the next start has all keys, and ends it.
TEST(Keys, ACrashWhileTheyTakeTheirPlaceLosesNone) {
  uint64_t nth = 1;
  for (bool cut = true; cut; ++nth) {
    sys::SimFileSystem fs;
    sys::SeededRandom random(5);
    ASSERT_TRUE(MakeHome(fs, "/srv", {}, random).ok());
    KeyFiles files(fs, "/srv");
    ASSERT_TRUE(files.MakeWaiting(kDirectorAndEscrow, false, random).ok());
    const OnlineSecrets next = Taken(files);
    cut = false;
    uint64_t left = nth;
    fs.SetFault([&](const char*, const std::string& path) {
      cut = cut || --left == 0;
      return cut ? Status::Of(Code::kIo, "{}: the power is gone", path) : OkStatus();
    });
    const Status settled = files.Settle(next);
    EXPECT_EQ(settled.ok(), !cut) << settled.ToString();
    fs.SetFault(nullptr);
    fs.CutPower();
    const OnlineSecrets found = files.Read().value();
    const WaitingKeys waiting = files.Waiting().value();
    trust::Root root;
    root.AddKey(root.snapshot, next.snapshot.public_key());
    root.AddKey(root.timestamp, next.timestamp.public_key());
    root.AddKey(root.director, next.director.public_key());
    root.escrow = next.escrow.public_key();
    const auto chosen = ChooseSecrets(root, found, waiting);
    ASSERT_TRUE(chosen.ok()) << "cut at " << nth << ": " << chosen.status().ToString();
    ASSERT_TRUE(files.Settle(*chosen).ok()) << "cut at " << nth;
    EXPECT_EQ(files.Read()->director.public_key(), next.director.public_key());
    bool old = false;
    const Result<OnlineSecrets> kept = files.Read();
    for (const crypto::AgreementKey& key : kept->old_escrow)
      old = old || key.public_key() == next.old_escrow[0].public_key();
    EXPECT_TRUE(old) << "cut at " << nth;
  }
  EXPECT_GT(nth, 5u);
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

TEST(AdminDoor, SpeaksTlsOffLoopbackUnlessAProxyDoes) {
  sys::SimFileSystem fs;
  sys::SeededRandom random(4);
  ASSERT_TRUE(MakeHome(fs, "/srv", {}, random).ok());
  const auto home = OpenHome(fs, "/srv");
  const auto identity = [&](const AdminDoorOptions& options) {
    return AdminIdentity(fs, *home, options);
  };
  for (const char* loopback : {"127.0.0.1", "localhost", "::1"})
    EXPECT_FALSE(identity({.host = loopback})->has_value()) << loopback;
  EXPECT_EQ((*identity({.tls = true}))->certificate_pem, home->certificate_pem);
  EXPECT_EQ((*identity({.host = "0.0.0.0"}))->certificate_pem, home->certificate_pem);
  EXPECT_FALSE(identity({.host = "192.0.2.1", .plain = true})->has_value());
  // Not a name of the server's certificate: one more of the same authority.
  const auto made = *identity({.host = "192.0.2.1"});
  ASSERT_TRUE(made.has_value());
  EXPECT_NE(made->certificate_pem, home->certificate_pem);
  const size_t authority = made->certificate_pem.rfind("-----BEGIN");
  EXPECT_EQ(*net::CertificatePin(made->certificate_pem.substr(authority)), home->authority_pin);
  ASSERT_TRUE(sys::WriteFileAtomically(fs, "/own.pem", AsBytes("chain")).ok());
  ASSERT_TRUE(sys::WriteFileAtomically(fs, "/own.key", AsBytes("key")).ok());
  const auto own = *identity({.chain_file = "/own.pem", .key_file = "/own.key"});
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->private_key_pem, "key");
  EXPECT_EQ(identity({.tls = true, .plain = true}).code(), Code::kInvalidArgument);
  EXPECT_EQ(identity({.chain_file = "/own.pem"}).code(), Code::kInvalidArgument);
  EXPECT_EQ(identity({.chain_file = "/none", .key_file = "/own.key"}).code(), Code::kNotFound);
  EXPECT_EQ(AdminUrl({.host = "::1"}, 80, true), "https://[::1]:80/");
}

TEST(Home, AServiceMakesItOnceAndSaysNoPassword) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  char name[] = "/tmp/ferry-init-XXXXXX";
  InitCommand init;
  init.directory = sys::JoinPath(mkdtemp(name), "srv");
  init.if_missing = true;
  testing::internal::CaptureStdout();
  EXPECT_TRUE(RunInit(init).ok());
  const std::string pin = OpenHome(fs, init.directory)->authority_pin;
  EXPECT_TRUE(RunInit(init).ok());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(OpenHome(fs, init.directory)->authority_pin, pin);
  init.config.tenant = "a b";
  EXPECT_EQ(RunInit(init).code(), Code::kInvalidArgument);
  init.config.tenant = "default";
  init.if_missing = false;
  EXPECT_EQ(RunInit(init).code(), Code::kAlreadyExists);
  EXPECT_TRUE(fs.RemoveTree(name).ok());
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

TEST_F(NodeTest, ADamagedCertificateOrItsKeyIsNamed) {
  sys::FileSystem& fs = sys::SystemFileSystem();
  for (const char* name : {"/srv/server.pem", "/srv/server.key"}) {
    const std::string path = directory_ + name;
    const Bytes whole = *sys::ReadFile(fs, path);
    Bytes damaged = whole;
    damaged[damaged.size() / 2] = '!';
    ASSERT_TRUE(sys::WriteFileAtomically(fs, path, damaged).ok());
    const auto node = Node::Start(*OpenHome(fs_, directory_ + "/srv"), {});
    EXPECT_EQ(node.code(), Code::kInvalidArgument);
    EXPECT_NE(node.status().message().find(path), std::string::npos) << node.status().ToString();
    ASSERT_TRUE(sys::WriteFileAtomically(fs, path, whole).ok());
  }
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
