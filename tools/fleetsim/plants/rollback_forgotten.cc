// Some devices say that they went back, and did not.
#include "tools/fleetsim/plants/plant.h"

namespace ferry::fleetsim {

bool ForgetsRollback(const Sim& sim, int64_t device) {
  return sim.Planted("rollback_forgotten") && sim.Draw(device, "rollback forgotten") < 0.1;
}

extern const Plant kRollbackForgottenPlant = {"rollback_forgotten",
                                              "a rollback is answered and not carried out",
                                              "rollback_reaches_all", nullptr, nullptr};

}  // namespace ferry::fleetsim
