// What a child may do, act by act; acts_test.cc does them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cloud-server/rollout/child/child_process.h"
#include "cloud-server/rollout/child/files.h"
#include "cloud-server/rollout/child/user.h"
#include "common/sys/filesystem.h"

namespace ferry::server {
namespace {

class ChildTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "ferry_child_XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    Write("escrow.key", "hunter2");
  }
  void TearDown() override { EXPECT_TRUE(sys::SystemFileSystem().RemoveTree(folder_).ok()); }
  void Write(const std::string& name, std::string_view text) {
    EXPECT_TRUE(
        sys::WriteFileAtomically(sys::SystemFileSystem(), folder_ + "/" + name, AsBytes(text), 0600)
            .ok());
  }
  ChildResult Run(const std::string& acts) {
    Write("package.fpk", acts);
    ChildLimits limits;
    limits.max_memory = 0;  // sanitizers reserve more than any limit
    limits.timeout_ms = 20'000;
    limits.input = folder_ + "/package.fpk";
    Result<ChildResult> run = RunChild({"/proc/self/exe", "simulate", kChildInput}, limits);
    EXPECT_TRUE(run.ok()) << run.status().ToString();
    return run.ok() ? *run : ChildResult{};
  }
  std::string folder_;
};

TEST_F(ChildTest, HasNoEnvironmentAndGainsNoRights) {
  ASSERT_EQ(setenv("FERRY_TEST_SECRET", "hunter2", 1), 0);
  EXPECT_EQ(Run("secret").output, "secret: (null)\n");
  unsetenv("FERRY_TEST_SECRET");
  EXPECT_THAT(Run("print /proc/self/status").output, testing::HasSubstr("NoNewPrivs:\t1"));
}

TEST_F(ChildTest, IsAUserOfItsOwnWhereRootStartsIt) {
  const std::string first = Run("user").output, second = Run("user").output;
  if (geteuid() != 0) {
    EXPECT_EQ(first, second);
    GTEST_SKIP() << "the server's user cannot make another one";
  }
  int user = 0, group = 0, groups = -1;
  ASSERT_EQ(sscanf(first.c_str(), "%d %d %d", &user, &group, &groups), 3) << first;
  EXPECT_GE(user, static_cast<int>(kFirstChildUser));
  EXPECT_LT(user, static_cast<int>(kFirstChildUser + kChildUsers));
  EXPECT_EQ(group, user);
  EXPECT_EQ(groups, 0);
  EXPECT_NE(first, second) << "children that run at once share no user";
}

// By its own user, where root starts it, also where the kernel has no Landlock; by Landlock else.
TEST_F(ChildTest, ReadsNoKeys) {
  if (!ChildrenCannotReadFiles()) GTEST_SKIP() << "neither root nor Landlock";
  EXPECT_EQ(Run("open " + folder_ + "/escrow.key").output, "open: EACCES\n");
  EXPECT_EQ(Run("open " + folder_ + "/package.fpk").output,
            geteuid() == 0 ? "open: EACCES\n" : "open: done\n")
      << "the package is handed over, not found";
  EXPECT_EQ(Run("open /etc/passwd").output,
            FileRules::Make({})->holds() ? "open: EACCES\n" : "open: done\n");
}

TEST_F(ChildTest, ChangesNoFile) {
  const std::string key = folder_ + "/escrow.key";
  for (const char* act :
       {"write", "append", "truncate", "remove", "rename", "chmod", "link", "openat2"})
    EXPECT_EQ(Run(std::string(act) + " " + key).output, std::string(act) + ": EPERM\n");
  for (const char* act : {"create", "folder"})
    EXPECT_EQ(Run(std::string(act) + " " + folder_ + "/new").output,
              std::string(act) + ": EPERM\n");
  EXPECT_EQ(Run(std::string("write ") + kChildInput).output, "write: EPERM\n");
  EXPECT_EQ(AsText(*sys::ReadFile(sys::SystemFileSystem(), key)), "hunter2");
}

TEST_F(ChildTest, EndsAtWhatNoGoodProgramTries) {
  const std::string parent = std::to_string(getpid());
  for (const std::string& act :
       {std::string("socket"), std::string("unix"), std::string("exec /bin/true"),
        std::string("fork"), "ptrace " + parent, "vm_read " + parent, "kill " + parent,
        std::string("setuid"), std::string("mount"), std::string("unshare")}) {
    const ChildResult run = Run(act + "\nout went on");
    EXPECT_EQ(run.exit_code, 128 + SIGSYS) << act;
    EXPECT_EQ(run.output, "") << act;
  }
}

TEST_F(ChildTest, StartsNothingAndReachesNobody) {
  EXPECT_EQ(Run("execveat").output, "execveat: EBADF\n");
  EXPECT_EQ(Run("dup").output, "dup: EINVAL\n") << "no descriptor can be the program's again";
  EXPECT_EQ(Run("tgkill " + std::to_string(getpid())).output, "tgkill: EPERM\n");
}

TEST_F(ChildTest, ComputesAndHasThreads) {
  EXPECT_EQ(Run("thread").output, "a thread\n");
  EXPECT_EQ(Run("out done").exit_code, 0);
}

}  // namespace
}  // namespace ferry::server
