#include "cloud-server/rollout/child/files.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ferry::server {
namespace {

// As headers of newer kernels have it: the one of Debian 12 ends before the network.
struct RulesetRights {
  uint64_t files = 0;
  uint64_t network = 0;
};
constexpr uint64_t kAllFiles = (uint64_t{1} << 13) - 1;  // the rights of the first version
constexpr uint64_t kRefer = uint64_t{1} << 13, kTruncate = uint64_t{1} << 14;
constexpr uint64_t kBindAndConnectTcp = 3;
constexpr int kSinceRefer = 2, kSinceTruncate = 3, kSinceNetwork = 4;

constexpr uint64_t kReadFile = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;
constexpr uint64_t kReadTree = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
// What the dynamic loader, the shell of a script and the C library open.
constexpr const char* kSystem[] = {
    "/usr", "/lib", "/lib64", "/bin", "/proc", "/etc/ld.so.cache", "/dev/null", "/dev/urandom"};

Status Allow(int rules, const std::string& path) {
  const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return OkStatus();
  struct stat about;
  const bool tree = fstat(fd, &about) == 0 && S_ISDIR(about.st_mode);
  landlock_path_beneath_attr rule = {tree ? kReadTree : kReadFile, fd};
  const long added = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  const int error = errno;
  close(fd);
  if (added == 0) return OkStatus();
  return Status::Of(Code::kIo, "landlock: {}: {}", path, strerror(error));
}

}  // namespace

FileRules::~FileRules() {
  if (rules_ >= 0) close(rules_);
}

Result<FileRules> FileRules::Make(const std::vector<std::string>& readable) {
  FileRules made;
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1) return made;
  RulesetRights rights = {kAllFiles, 0};
  if (version >= kSinceRefer) rights.files |= kRefer;
  if (version >= kSinceTruncate) rights.files |= kTruncate;
  if (version >= kSinceNetwork) rights.network = kBindAndConnectTcp;
  const size_t size = version >= kSinceNetwork ? sizeof rights : sizeof rights.files;
  made.rules_ = static_cast<int>(syscall(SYS_landlock_create_ruleset, &rights, size, 0));
  if (made.rules_ < 0) return Status::Of(Code::kIo, "landlock: {}", strerror(errno));
  for (const char* path : kSystem) FERRY_TRY(Allow(made.rules_, path));
  for (const std::string& path : readable) FERRY_TRY(Allow(made.rules_, path));
  return made;
}

bool FileRules::TakeOn() const {
  return rules_ < 0 || syscall(SYS_landlock_restrict_self, rules_, 0) == 0;
}

}  // namespace ferry::server
