// Bugs that are put in on purpose, so that tests can see each of them found: one file each under
// plants/, one row in list.inc. `ferry simulate --plant NAME`, in builds with tests only.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "cloud-server/core/rows.h"
#include "tools/fleetsim/sim.h"

namespace ferry::fleetsim {

// What a planted bug may change; what is null it leaves alone.
struct Plant {
  const char* name;
  const char* what;      // one sentence
  const char* found_by;  // the invariant that it breaks
  // A report that came to the server; true: nothing else happens to it.
  bool (*on_report)(Sim& sim, server::ReportRow& row,
                    const std::function<void(const Status&)>& done);
  // Every virtual minute.
  void (*on_minute)(Sim& sim);
};
const std::vector<const Plant*>& AllPlants();
const Plant* PlantCalled(std::string_view name);  // null: none is called so

bool PlantReport(Sim& sim, server::ReportRow& row, const std::function<void(const Status&)>& done);
void PlantMinute(Sim& sim);

// Bugs of devices are asked for where they are.
bool SkipsSignature(const Sim& sim);
bool SkipsAuthorization(const Sim& sim, uint8_t version);
bool SkipsHash(const Sim& sim);
bool SwitchesBeforeSync(const Sim& sim);
bool ForgetsRollback(const Sim& sim, int64_t device);

}  // namespace ferry::fleetsim
