// The power goes at one of the writes of an install.
#include "tools/fleetsim/faults/fault.h"

namespace ferry::fleetsim {

static void ApplyPowerCut(Moment& moment) {
  moment.install->power_cut = true;
}

extern const Fault kPowerCutFault = {"power_cut", Strikes::kInstall, 0.001, 0.03, ApplyPowerCut};

}  // namespace ferry::fleetsim
