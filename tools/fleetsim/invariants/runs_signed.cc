// No device runs what offline keys did not sign.
#include "tools/fleetsim/invariants/invariant.h"

namespace ferry::fleetsim {

static std::optional<std::string> RunsSignedBroken(Sim& sim, const Event& event) {
  if (event.a == kNoVersion) return std::nullopt;
  const bool known = event.a < static_cast<int64_t>(sim.versions().size());
  if (known && sim.versions()[static_cast<size_t>(event.a)].published &&
      !sim.small_runs_wrong_bytes(event.device))
    return std::nullopt;
  return fmt::format("device {} runs bytes that offline keys did not sign", event.device);
}

extern const Invariant kRunsSignedInvariant = {"runs_signed", Behind({EventKind::kSwitch}),
                                               RunsSignedBroken};

}  // namespace ferry::fleetsim
