// A bit of what a whole agent has on its disk is flipped.
#include "tools/fleetsim/agents/agents.h"
#include "tools/fleetsim/faults/fault.h"

namespace ferry::fleetsim {

static void ApplyFlippedBit(Moment& moment) {
  WholeAgent* agent = moment.sim.agents().At(moment.device);
  if (agent == nullptr) return;
  // A byte of one of its slots, on a disk that is read again at the next start.
  const char* slot = moment.sim.random().Below(2) == 0 ? "a" : "b";
  const std::string path = fmt::format("/state/packages/{}/{}/package.fpk", kPackage, slot);
  const Result<sys::FileInfo> there = agent->disk.Stat(path);
  if (!there.ok() || there->size == 0) return;
  const uint64_t at = moment.sim.random().Below(there->size);
  if (agent->disk.Corrupt(path, at, 0x10).ok()) agent->damaged = true;
}

extern const Fault kFlippedBitFault = {"flipped_bit", Strikes::kDeviceHour, 0.0002, 0.005,
                                       ApplyFlippedBit};

}  // namespace ferry::fleetsim
