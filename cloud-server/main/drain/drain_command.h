// ferry-server drain: a running node sends its devices to the others; done when none is left.
#pragma once

#include <string>

#include "cloud-server/main/drain/drain_files.h"
#include "common/base/status.h"

namespace ferry::server {

struct DrainCommand {
  std::string directory;
  int64_t within_s = 600;
  bool json = false;
};
// Says how far it is until no device is left; the node goes on draining when this is interrupted.
// kFailedPrecondition where no server runs, kUnavailable when it ends before all are gone.
Status RunDrain(const DrainCommand& command);

}  // namespace ferry::server
