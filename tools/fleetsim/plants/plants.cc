#include "tools/fleetsim/plants/plant.h"

namespace ferry::fleetsim {

#define FERRY_PLANT(Name) extern const Plant k##Name##Plant;
#include "tools/fleetsim/plants/list.inc"
#undef FERRY_PLANT

const std::vector<const Plant*>& AllPlants() {
  static const std::vector<const Plant*> kAll = {
#define FERRY_PLANT(Name) &k##Name##Plant,
#include "tools/fleetsim/plants/list.inc"
#undef FERRY_PLANT
  };
  return kAll;
}

const Plant* PlantCalled(std::string_view name) {
  for (const Plant* plant : AllPlants())
    if (name == plant->name) return plant;
  return nullptr;
}

bool PlantReport(Sim& sim, server::ReportRow& row, const std::function<void(const Status&)>& done) {
  for (const std::string& name : sim.options().plants) {
    const Plant* plant = PlantCalled(name);
    if (plant != nullptr && plant->on_report != nullptr && plant->on_report(sim, row, done))
      return true;
  }
  return false;
}

void PlantMinute(Sim& sim) {
  for (const std::string& name : sim.options().plants) {
    const Plant* plant = PlantCalled(name);
    if (plant != nullptr && plant->on_minute != nullptr) plant->on_minute(sim);
  }
}

}  // namespace ferry::fleetsim
