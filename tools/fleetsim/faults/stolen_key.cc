// Who holds the stolen key of the director answers in place of the server.
#include "tools/fleetsim/faults/fault.h"

namespace ferry::fleetsim {

static void ApplyStolenKey(Moment& moment) {
  moment.message->forged = true;
}

extern const Fault kStolenKeyFault = {"stolen_key", Strikes::kMessage, 0, 0.0005, ApplyStolenKey};

}  // namespace ferry::fleetsim
