// A message arrives again, after later ones.
#include "tools/fleetsim/faults/fault.h"

namespace ferry::fleetsim {

static void ApplyReordering(Moment& moment) {
  moment.message->late = true;
}

extern const Fault kReorderingFault = {"reordering", Strikes::kMessage, 0.005, 0.05,
                                       ApplyReordering};

}  // namespace ferry::fleetsim
