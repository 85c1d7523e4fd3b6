// No device goes below what ran on it, but along fallbacks that offline keys signed.
#include "tools/fleetsim/invariants/invariant.h"

namespace ferry::fleetsim {

static std::optional<std::string> NotOlderBroken(Sim& sim, const Event& event) {
  const bool from_one_to_another = event.a < static_cast<int64_t>(sim.versions().size()) &&
                                   event.b < static_cast<int64_t>(sim.versions().size());
  if (!from_one_to_another) return std::nullopt;
  const auto counter = [&](int64_t version) {
    return sim.versions()[static_cast<size_t>(version)].entry.release_counter;
  };
  if (counter(event.a) >= counter(event.b)) return std::nullopt;
  for (int64_t at = event.b; at != kNoVersion;) {
    at = sim.versions()[static_cast<size_t>(at)].fallback;
    if (at == event.a) return std::nullopt;
  }
  return fmt::format("device {} went from {} to {}, and no fallback leads there", event.device,
                     sim.versions()[static_cast<size_t>(event.b)].name,
                     sim.versions()[static_cast<size_t>(event.a)].name);
}

extern const Invariant kNotOlderInvariant = {"not_older", Behind({EventKind::kSwitch}),
                                             NotOlderBroken};

}  // namespace ferry::fleetsim
