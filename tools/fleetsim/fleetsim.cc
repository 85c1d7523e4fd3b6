#include "tools/fleetsim/fleetsim.h"

#include "common/sys/clock.h"
#include "tools/fleetsim/plants/plant.h"
#include "tools/fleetsim/sim.h"

namespace ferry::fleetsim {

Result<Outcome> Simulate(const Options& options) {
  for (const std::string& name : options.plants)
    if (PlantCalled(name) == nullptr)
      return Status::Of(Code::kNotFound, "no planted bug is called \"{}\"", name);
  const int64_t begun_ns = sys::SystemClock().MonotonicNs();
  Sim sim(options);
  FERRY_TRY(sim.Run());
  Outcome outcome = sim.TakeOutcome();
  outcome.wall_ms = (sys::SystemClock().MonotonicNs() - begun_ns) / 1'000'000;
  return outcome;
}

}  // namespace ferry::fleetsim
