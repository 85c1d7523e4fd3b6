// A server whose rows are on PostgreSQL.
#include <gtest/gtest.h>
#include <unistd.h>

#include "cloud-server/main/backup/backup.h"
#include "cloud-server/main/commands.h"
#include "cloud-server/main/truth/claim.h"
#include "cloud-server/main/truth/cluster.h"
#include "cloud-server/main/truth/patience.h"
#include "cloud-server/store/postgres/scratch_postgres.h"

namespace ferry::server {
namespace {

class StorePlaceTest : public testing::Test {
 protected:
  void SetUp() override {
    const Result<ScratchPostgres*> scratch = ScratchPostgres::Get();
    if (scratch.code() == Code::kUnsupported) GTEST_SKIP() << scratch.status().ToString();
    ASSERT_TRUE(scratch.ok()) << scratch.status().ToString();
    scratch_ = *scratch;
    url_ = *scratch_->NewDatabase(false);
    ASSERT_TRUE(fs_.RemoveTree(folder_).ok());
    init_.directory = folder_ + "/srv";
    init_.store = url_;
  }
  void TearDown() override {
    if (url_.empty()) return;
    EXPECT_TRUE(scratch_->Remove(url_).ok());
    EXPECT_TRUE(fs_.RemoveTree(folder_).ok());
  }
  static int64_t Devices(const std::string& directory) {
    int64_t count = -1;
    const Result<ServerHome> home = OpenHome(sys::SystemFileSystem(), directory);
    EXPECT_TRUE(home.ok()) << home.status().ToString();
    const Status looked = WithAdmin(*home, [&](const AdminOptions& admin) {
      return admin.store->Read([&](Transaction& tx) -> Status {
        FERRY_ASSIGN_OR_RETURN(count, tx.devices().Count());
        return OkStatus();
      });
    });
    EXPECT_TRUE(looked.ok()) << looked.ToString();
    return count;
  }
  sys::FileSystem& fs_ = sys::SystemFileSystem();
  const std::string folder_ = testing::TempDir() + "ferry_place_" + std::to_string(getpid());
  ScratchPostgres* scratch_ = nullptr;
  std::string url_;
  InitCommand init_;
};

TEST_F(StorePlaceTest, CommandsOpenWhatInitNoted) {
  const Status made = RunInit(init_);
  ASSERT_TRUE(made.ok()) << made.ToString();
  EXPECT_FALSE(sys::Exists(fs_, init_.directory + "/ferry.db"));
  EXPECT_EQ(Devices(init_.directory), 0);
  {
    const auto home = OpenHome(fs_, init_.directory);
    const auto node = Node::Start(*home, {});
    ASSERT_TRUE(node.ok()) << node.status().ToString();
    EXPECT_TRUE((*node)
                    ->admin_options()
                    .store
                    ->Write([](Transaction& tx) {
                      DeviceRow device;
                      device.id = "d1";
                      return tx.devices().Put(device);
                    })
                    .ok());
  }
  EXPECT_EQ(Devices(init_.directory), 1);
  const auto problems = CheckHome(init_.directory, true, sys::SystemClock().NowUnixMs());
  ASSERT_TRUE(problems.ok()) << problems.status().ToString();
  for (const std::string& problem : *problems)
    EXPECT_EQ(problem.find("database"), std::string::npos) << problem;
  const auto backup = MakeBackup(init_.directory, folder_ + "/backup", 1, nullptr);
  ASSERT_TRUE(backup.ok()) << backup.status().ToString();
  const auto restored =
      RestoreBackup(folder_ + "/backup", folder_ + "/restored", false, 2, nullptr);
  ASSERT_TRUE(restored.ok()) << restored.status().ToString();
  EXPECT_EQ(Devices(folder_ + "/restored"), 1);
  const auto home = OpenHome(fs_, folder_ + "/restored");
  EXPECT_EQ(home->config.store, "") << "it must not open the database of the first server";
  EXPECT_EQ(KeyRingName(*home), KeyRingName(*OpenHome(fs_, init_.directory)));
}

TEST_F(StorePlaceTest, AnotherServersRowsAreNotTaken) {
  ASSERT_TRUE(RunInit(init_).ok());
  init_.directory = folder_ + "/second";
  EXPECT_EQ(RunInit(init_).code(), Code::kAlreadyExists);
  EXPECT_FALSE(sys::Exists(fs_, init_.directory)) << "nothing was made";
}

TEST_F(StorePlaceTest, WhatIsNotThereIsSaidBeforeAnythingIsMade) {
  init_.store = "postgres://ann:secret@127.0.0.1:9/ferry";
  const Status nobody = RunInit(init_);
  EXPECT_EQ(nobody.code(), Code::kUnavailable);
  EXPECT_NE(nobody.message().find("127.0.0.1:9"), std::string::npos) << nobody.ToString();
  EXPECT_EQ(nobody.message().find("secret"), std::string::npos) << nobody.ToString();
  init_.store = "mysql://secret@h/d";
  const Status other = RunInit(init_);
  EXPECT_EQ(other.code(), Code::kInvalidArgument);
  EXPECT_EQ(other.message().find("secret"), std::string::npos) << other.ToString();
  EXPECT_FALSE(sys::Exists(fs_, init_.directory));
}

TEST_F(StorePlaceTest, AnotherClustersKeysAreRefusedByName) {
  ASSERT_TRUE(RunInit(init_).ok());
  const ServerHome owner = *OpenHome(fs_, init_.directory);
  InitCommand second;
  second.directory = folder_ + "/second";
  ASSERT_TRUE(RunInit(second).ok());
  ServerHome other = *OpenHome(fs_, second.directory);
  EXPECT_NE(KeyRingName(other), KeyRingName(owner));
  other.config.store = url_;
  const auto refused = Node::Start(other, {});
  EXPECT_EQ(refused.code(), Code::kFailedPrecondition);
  EXPECT_NE(refused.status().message().find(KeyRingName(owner)), std::string::npos);
  EXPECT_NE(refused.status().message().find(KeyRingName(other)), std::string::npos);
  EXPECT_TRUE(Node::Start(owner, {}).ok());
}

TEST_F(StorePlaceTest, ServicesThatPrintNoPasswordOwnTheirDatabaseToo) {
  init_.if_missing = true;
  ASSERT_TRUE(RunInit(init_).ok());
  ASSERT_TRUE(RunInit(init_).ok());
  init_.directory = folder_ + "/second";
  EXPECT_EQ(RunInit(init_).code(), Code::kAlreadyExists);
}

TEST_F(StorePlaceTest, ACheckSeesWhatIsBroken) {
  ASSERT_TRUE(RunInit(init_).ok());
  const ServerHome home = *OpenHome(fs_, init_.directory);
  const auto whole = LookAtCluster(home, "");
  ASSERT_TRUE(whole.ok()) << whole.status().ToString();
  EXPECT_TRUE(whole->problems.empty()) << whole->problems.front();
  EXPECT_GE(whole->json["audit_rows"], 1);
  const auto sql = PostgresConnection::Open(url_);
  ASSERT_TRUE((*sql)
                  ->Script("UPDATE audit SET reason = 'another'; UPDATE setting SET value = "
                           "'0011' WHERE key = 'cluster.key_ring'")
                  .ok());
  const auto broken = LookAtCluster(home, "nats://127.0.0.1:9");
  ASSERT_TRUE(broken.ok()) << broken.status().ToString();
  ASSERT_EQ(broken->problems.size(), 3U);
  EXPECT_NE(broken->problems[0].find("0011"), std::string::npos);
  EXPECT_NE(broken->problems[1].find("audit"), std::string::npos);
  EXPECT_NE(broken->problems[2].find("bus"), std::string::npos);
}

class SteppedClock : public sys::Clock {
 public:
  int64_t NowUnixMs() const override { return ms_; }
  int64_t MonotonicNs() const override { return ms_ * 1'000'000; }
  int64_t ms_ = 0;
};

TEST(PatienceTest, WaitsForWhatDoesNotAnswerAndForNothingElse) {
  SteppedClock clock;
  std::vector<int64_t> pauses;
  const auto pause = [&](int64_t ms) {
    pauses.push_back(ms);
    clock.ms_ += ms;
    return pauses.size() < 20;
  };
  int tries = 0;
  const Status came = Patience(clock, 10'000, pause).Try("store", [&] {
    return ++tries < 4 ? Status(Code::kUnavailable, "away") : OkStatus();
  });
  EXPECT_TRUE(came.ok());
  EXPECT_EQ(pauses, (std::vector<int64_t>{200, 400, 800}));
  pauses.clear();
  const Status never = Patience(clock, 10'000, pause).Try("store", [&] {
    return Status(Code::kUnavailable, "away");
  });
  EXPECT_EQ(never.code(), Code::kUnavailable);
  EXPECT_NE(never.message().find("10 s"), std::string::npos) << never.ToString();
  EXPECT_EQ(pauses, (std::vector<int64_t>{200, 400, 800, 1600, 3200, 3800}));
  pauses.clear();
  const Status wrong = Patience(clock, 10'000, pause).Try("store", [&] {
    return Status(Code::kUnsupported, "newer");
  });
  EXPECT_EQ(wrong.code(), Code::kUnsupported);
  EXPECT_TRUE(pauses.empty());
  const Status ended = Patience(clock, 10'000, [](int64_t) { return false; }).Try("bus", [] {
    return Status(Code::kUnavailable, "away");
  });
  EXPECT_EQ(ended.code(), Code::kCancelled);
}

}  // namespace
}  // namespace ferry::server
