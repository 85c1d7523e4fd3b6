#include "cloud-server/main/file_limit.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "common/base/log.h"

namespace ferry::server {
namespace {

int64_t Bounded(rlim_t files) {
  constexpr rlim_t kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::min(files, kMost));  // RLIM_INFINITY is above it
}

}  // namespace

int64_t RaiseFileLimit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
    LogWarn("server", "the limit of open files is not known: {}", std::strerror(errno));
    return std::numeric_limits<int64_t>::max();
  }
  const int64_t before = Bounded(files.rlim_cur);
  files.rlim_cur = files.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &files) != 0) {
    LogWarn("server", "the limit of open files stays {}: {}", before, std::strerror(errno));
    return before;
  }
  const int64_t most = Bounded(files.rlim_cur);
  LogInfo("server", "{} files may be open at once, {} before they were raised", most, before);
  return most;
}

int MostLines(int64_t files, int wanted) {
  const auto room = static_cast<int>(
      std::clamp<int64_t>(files - kFilesBesideLines, 1, std::numeric_limits<int>::max()));
  if (room >= wanted) return wanted;
  LogWarn("server", "{} files leave room for {} lines instead of {}: raise the hard limit", files,
          room, wanted);
  return room;
}

}  // namespace ferry::server
