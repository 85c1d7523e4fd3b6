// A user of its own for a child process of a server that root has started. Linux.
#pragma once

#include <sys/types.h>

#include "common/base/status.h"

namespace ferry::server {

// Users and groups that no file belongs to: those that Linux systems keep for processes started
// with a user made up for them.
inline constexpr uid_t kFirstChildUser = 61'184;
inline constexpr uid_t kChildUsers = 4'336;

class ChildUser {
 public:
  // The next of these users where the server is root, or nobody: the child keeps the server's user.
  // Children that run at once have users of their own, so that none can reach another. Any thread.
  static ChildUser Choose();

  bool chosen() const { return id_ != 0; }
  uid_t id() const { return id_; }
  // Gives an open file to the user, to read it alone. kIo.
  Status Own(int file) const;
  // Becomes the user, if one was chosen, with no other group. False: it failed, and errno says why.
  // Safe between fork and exec.
  bool Become() const;

 private:
  uid_t id_ = 0;
};

}  // namespace ferry::server
