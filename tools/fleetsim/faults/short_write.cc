// A write of an install ends early.
#include "tools/fleetsim/faults/fault.h"

namespace ferry::fleetsim {

static void ApplyShortWrite(Moment& moment) {
  moment.install->torn = true;
}

extern const Fault kShortWriteFault = {"short_write", Strikes::kInstall, 0.0005, 0.02,
                                       ApplyShortWrite};

}  // namespace ferry::fleetsim
