#include "cloud-server/rollout/child/calls.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace ferry::server {
namespace {

// Names that a processor lacks are left out: open, access and their like are x86's alone.
constexpr const char* kAllowed[] = {
#define FERRY_CALL(name) #name,
#include "cloud-server/rollout/child/allowed_calls.inc"
#undef FERRY_CALL
};
constexpr const char* kEnding[] = {
#define FERRY_CALL(name) #name,
#include "cloud-server/rollout/child/ending_calls.inc"
#undef FERRY_CALL
};

constexpr scmp_datum_t kWriting =
    O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
// The number by which the kernel names an anonymous mapping for prctl; older headers lack it.
constexpr scmp_datum_t kNameMapping = 0x53564d41;

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

// Collects the first failure of many additions.
class Rules {
 public:
  explicit Rules(scmp_filter_ctx filter) : filter_(filter) {}

  template <typename... Compare>
  void Add(uint32_t action, const char* name, Compare... compare) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number < 0 || failed_ != 0) return;
    failed_ = seccomp_rule_add(filter_, action, number, sizeof...(compare), compare...);
    if (failed_ != 0) name_ = name;
  }
  Status status() const {
    if (failed_ == 0) return OkStatus();
    return Status::Of(Code::kIo, "seccomp: {}: {}", name_, strerror(-failed_));
  }

 private:
  scmp_filter_ctx filter_;
  int failed_ = 0;
  std::string name_;
};

Status AddAll(scmp_filter_ctx filter) {
  Rules rules(filter);
  for (const char* name : kAllowed) rules.Add(SCMP_ACT_ALLOW, name);
  for (const char* name : kEnding) rules.Add(SCMP_ACT_TRAP, name);
  rules.Add(SCMP_ACT_ALLOW, "open", SCMP_A1(SCMP_CMP_MASKED_EQ, kWriting, O_RDONLY));
  rules.Add(SCMP_ACT_ALLOW, "openat", SCMP_A2(SCMP_CMP_MASKED_EQ, kWriting, O_RDONLY));
  // The C library makes threads by clone where clone3, whose flags a filter cannot see, is unknown.
  rules.Add(SCMP_ACT_ERRNO(ENOSYS), "clone3");
  rules.Add(SCMP_ACT_ALLOW, "clone", SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
  rules.Add(SCMP_ACT_TRAP, "clone", SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
  for (const scmp_datum_t what :
       {scmp_datum_t{PR_SET_NAME}, scmp_datum_t{PR_GET_NAME}, kNameMapping})
    rules.Add(SCMP_ACT_ALLOW, "prctl", SCMP_A0(SCMP_CMP_EQ, what));
  // Not those that have the kernel send signals.
  for (const int what : {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD, F_SETFD, F_GETFL, F_SETFL})
    rules.Add(SCMP_ACT_ALLOW, "fcntl", SCMP_A1(SCMP_CMP_EQ, static_cast<scmp_datum_t>(what)));
  rules.Add(SCMP_ACT_ALLOW, "prlimit64", SCMP_A0(SCMP_CMP_EQ, 0));  // its own limits
  rules.Add(SCMP_ACT_ALLOW, "execveat", SCMP_A0(SCMP_CMP_EQ, kProgramDescriptor),
            SCMP_A4(SCMP_CMP_EQ, AT_EMPTY_PATH));
  rules.Add(SCMP_ACT_TRAP, "execveat", SCMP_A0(SCMP_CMP_NE, kProgramDescriptor));
  rules.Add(SCMP_ACT_TRAP, "execveat", SCMP_A4(SCMP_CMP_NE, AT_EMPTY_PATH));
  return rules.status();
}

}  // namespace

Result<CallRules> CallRules::Make() {
  const Filter filter(seccomp_init(SCMP_ACT_ERRNO(EPERM)), &seccomp_release);
  if (filter == nullptr) return Status::Of(Code::kIo, "seccomp: no filter can be made");
  // Numbers of another processor's calls, which a 64-bit process can make too, end it.
  seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  // A tree: the list is long, and every call of the child goes through it.
  seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  FERRY_TRY(AddAll(filter.get()));
  // The library hands its filter out only through a descriptor.
  const int fd = memfd_create("filter", MFD_CLOEXEC);
  if (fd < 0) return Status::Of(Code::kIo, "seccomp: {}", strerror(errno));
  CallRules made;
  const int written = seccomp_export_bpf(filter.get(), fd);
  const off_t size = lseek(fd, 0, SEEK_END);
  if (size > 0) made.program_.resize(static_cast<size_t>(size) / sizeof(sock_filter));
  const ssize_t read = pread(fd, made.program_.data(), static_cast<size_t>(size), 0);
  close(fd);
  if (written == 0 && size > 0 && read == size) return made;
  return Status::Of(Code::kIo, "seccomp: the filter cannot be read back");
}

bool CallRules::TakeOn() const {
  const sock_fprog program = {static_cast<unsigned short>(program_.size()),
                              const_cast<sock_filter*>(program_.data())};
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

std::string CallName(int number) {
  char* name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
  std::string text = name == nullptr ? std::to_string(number) : name;
  free(name);
  return text;
}

}  // namespace ferry::server
