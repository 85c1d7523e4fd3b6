// Pacer: whom a running script asks whether it may go on. See Isolate::SetPacer.
#pragma once

#include <cstdint>

#include "common/base/status.h"

namespace ferry::vm {

// Called on the thread that runs the isolate.
class Pacer {
 public:
  virtual ~Pacer() = default;
  // At a safe point of the script, some ten thousand `steps` after the last: may wait until it is
  // the script's turn again. A failure ends the script with it.
  virtual Status Pace(int64_t steps) = 0;
  // Around native work that runs long (a model): others may have the turn meanwhile; EndLong waits
  // for it. They nest.
  virtual void BeginLong() = 0;
  virtual void EndLong() = 0;
};

}  // namespace ferry::vm
