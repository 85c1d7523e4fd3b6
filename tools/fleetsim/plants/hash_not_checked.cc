// Devices install what a mirror gives them, whatever its hash.
#include "tools/fleetsim/plants/plant.h"

namespace ferry::fleetsim {

bool SkipsHash(const Sim& sim) {
  return sim.Planted("hash_not_checked");
}

extern const Plant kHashNotCheckedPlant = {"hash_not_checked", "the hash of content is not checked",
                                           "runs_signed", nullptr, nullptr};

}  // namespace ferry::fleetsim
