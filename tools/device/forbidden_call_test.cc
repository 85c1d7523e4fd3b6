#include "tools/device/forbidden_call.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace ferry::device {
namespace {

// A filter that traps getpriority.
void TrapGetPriority() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpriority, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {std::size(filter), filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

TEST(ForbiddenCall, IsNamedByItsNumber) {
  EXPECT_EXIT(
      {
        NameForbiddenCalls();
        TrapGetPriority();
        syscall(SYS_getpriority, 0, 0);
        _exit(0);
      },
      testing::ExitedWithCode(128 + SIGSYS),
      "system call " + std::to_string(SYS_getpriority) + " is forbidden here");
}

}  // namespace
}  // namespace ferry::device
