// The slot's name is put over before what it names is on the disk.
#include "tools/fleetsim/plants/plant.h"

namespace ferry::fleetsim {

bool SwitchesBeforeSync(const Sim& sim) {
  return sim.Planted("switch_before_sync");
}

extern const Plant kSwitchBeforeSyncPlant = {
    "switch_before_sync", "the slot is switched before the sync", "always_loads", nullptr, nullptr};

}  // namespace ferry::fleetsim
