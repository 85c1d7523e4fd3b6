// A sync fails, and says so.
#include "tools/fleetsim/faults/fault.h"

namespace ferry::fleetsim {

static void ApplyFailedSync(Moment& moment) {
  moment.install->sync_failed = true;
}

extern const Fault kFailedSyncFault = {"failed_sync", Strikes::kInstall, 0.0005, 0.02,
                                       ApplyFailedSync};

}  // namespace ferry::fleetsim
