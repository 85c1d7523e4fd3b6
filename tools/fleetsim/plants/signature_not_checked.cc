// Devices believe a document whoever signed it.
#include "tools/fleetsim/plants/plant.h"

namespace ferry::fleetsim {

bool SkipsSignature(const Sim& sim) {
  return sim.Planted("signature_not_checked");
}

extern const Plant kSignatureNotCheckedPlant = {"signature_not_checked",
                                                "signatures of the desired state are not checked",
                                                "runs_assigned", nullptr, nullptr};

}  // namespace ferry::fleetsim
