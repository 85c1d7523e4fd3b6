// A message arrives twice.
#include "tools/fleetsim/faults/fault.h"

namespace ferry::fleetsim {

static void ApplyDoubling(Moment& moment) {
  moment.message->doubled = true;
}

extern const Fault kDoublingFault = {"doubling", Strikes::kMessage, 0.005, 0.05, ApplyDoubling};

}  // namespace ferry::fleetsim
