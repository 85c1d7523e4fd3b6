// A server whose rows are on PostgreSQL.
#include <gtest/gtest.h>
#include <unistd.h>

#include "cloud-server/main/backup/backup.h"
#include "cloud-server/main/commands.h"
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
  EXPECT_EQ(backup.code(), Code::kUnsupported);
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

}  // namespace
}  // namespace ferry::server
