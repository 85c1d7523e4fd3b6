#include "cloud-server/rollout/child/user.h"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace ferry::server {

ChildUser ChildUser::Choose() {
  static std::atomic<uid_t> next{0};
  ChildUser user;
  if (geteuid() == 0) user.id_ = kFirstChildUser + next.fetch_add(1) % kChildUsers;
  return user;
}

Status ChildUser::Own(int file) const {
  if (!chosen()) return OkStatus();
  if (fchmod(file, S_IRUSR) == 0 && fchown(file, id_, id_) == 0) return OkStatus();
  return Status::Of(Code::kIo, "the file cannot be given to user {}: {}", id_, strerror(errno));
}

bool ChildUser::Become() const {
  if (!chosen()) return true;
  return setgroups(0, nullptr) == 0 && setresgid(id_, id_, id_) == 0 &&
         setresuid(id_, id_, id_) == 0;
}

}  // namespace ferry::server
