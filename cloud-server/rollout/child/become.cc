#include "cloud-server/rollout/child/become.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace ferry::server {
namespace {

constexpr int kCannotStart = 127;
// Where BecomeChild says what failed; closed when the program starts.
constexpr int kFailureDescriptor = kSecondInputDescriptor + 1;

[[noreturn]] void Fail(const char* step) {
  const StartFailure failure = {step, errno};
  (void)!write(kFailureDescriptor, &failure, sizeof failure);
  _exit(kCannotStart);
}

void Limit(int what, uint64_t value) {
  if (value == 0) return;
  const rlimit limit{value, value};
  if (setrlimit(what, &limit) != 0) Fail("its limits");
}

void PutDescriptors(const ChildParts& parts) {
  if (dup3(parts.failed, kFailureDescriptor, O_CLOEXEC) < 0) _exit(kCannotStart);
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int input = parts.input < 0 ? null : parts.input;
  const int second = parts.second_input < 0 ? null : parts.second_input;
  if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(parts.output, STDOUT_FILENO) < 0 ||
      dup2(parts.errors, STDERR_FILENO) < 0 || dup2(input, kInputDescriptor) < 0 ||
      dup2(second, kSecondInputDescriptor) < 0 ||
      dup3(parts.program, kProgramDescriptor, O_CLOEXEC) < 0)
    Fail("its descriptors");
  // Sockets and files of the server stay out of the child.
  if (close_range(kFailureDescriptor + 1, kProgramDescriptor - 1, 0) != 0 ||
      close_range(kProgramDescriptor + 1, ~0U, 0) != 0)
    Fail("closing the server's files");
}

void TakeLimits(const ChildLimits& limits) {
  Limit(RLIMIT_AS, limits.max_memory);
  Limit(RLIMIT_FSIZE, limits.max_file);
  Limit(RLIMIT_NOFILE, kProgramDescriptor);
  Limit(RLIMIT_CPU, static_cast<uint64_t>(limits.timeout_ms / 1000 + 1));
  const rlimit no_core{0, 0};
  if (setrlimit(RLIMIT_CORE, &no_core) != 0) Fail("its limits");
}

}  // namespace

void BecomeChild(const ChildParts& parts) {
  setpgid(0, 0);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) Fail("giving up new rights");
  const bool confined = parts.files.TakeOn();
  const int error = errno;
  PutDescriptors(parts);
  errno = error;
  if (!confined) Fail("the rules for files");
  if (chdir("/") != 0) Fail("changing to /");
  if (!parts.user.Become()) Fail("changing to its own user");
  // After the change of user, which forgets it: the child ends with the server.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  TakeLimits(parts.limits);
  if (!parts.calls.TakeOn()) Fail("the rules for system calls");
  // The server's environment may hold secrets of its operator.
  char* const nothing[] = {nullptr};
  syscall(SYS_execveat, kProgramDescriptor, "", parts.arguments, nothing, AT_EMPTY_PATH);
  Fail("starting it");
}

}  // namespace ferry::server
