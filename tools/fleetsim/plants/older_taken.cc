// Devices take what the director names, also below what ran on them.
#include "tools/fleetsim/plants/plant.h"

namespace ferry::fleetsim {

bool SkipsAuthorization(const Sim& sim, uint8_t version) {
  return sim.Planted("older_taken") && version != kNoVersion;
}

extern const Plant kOlderTakenPlant = {"older_taken",
                                       "older versions are taken without a signed fallback",
                                       "not_older", nullptr, nullptr};

}  // namespace ferry::fleetsim
