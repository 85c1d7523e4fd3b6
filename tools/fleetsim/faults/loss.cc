// A message or the answer to it is lost, and its line breaks.
#include "tools/fleetsim/faults/fault.h"
#include "tools/fleetsim/sim.h"

namespace ferry::fleetsim {

static void ApplyLoss(Moment& moment) {
  if (moment.sim.random().Below(2) == 0) {
    moment.message->lost = true;
  } else {
    moment.message->answer_lost = true;
  }
}

extern const Fault kLossFault = {"loss", Strikes::kMessage, 0.005, 0.05, ApplyLoss};

}  // namespace ferry::fleetsim
