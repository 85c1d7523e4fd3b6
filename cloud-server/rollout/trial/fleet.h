// What a simulation has to know of the fleet: the kinds of machines that a release reaches, and the
// version that they run.
#pragma once

#include <string>
#include <vector>

#include "cloud-server/core/apply.h"
#include "cloud-server/rollout/simulator.h"
#include "cloud-server/store/store.h"

namespace ferry::server {

// Kinds of machines that one simulation tries at most: those with the most devices.
inline constexpr size_t kMaxSimulatedProfiles = 16;
// A device with so much memory is tried without a limit of its own.
inline constexpr int64_t kAmpleMemory = int64_t{4} << 30;
inline constexpr int64_t kLeastMemory = int64_t{64} << 20;  // of a run
inline constexpr int64_t kMemoryStep = int64_t{256} << 20;  // kinds of machines differ by as much

// Devices on which a task runs alike.
struct MachineDevices {
  SimulatedMachine machine;
  int64_t devices = 0;
  bool operator==(const MachineDevices&) const = default;
};

// Instruction sets come from the device's list (the fastest one that Ferry has kernels for), the
// memory is cut to a step, so that devices that say nearly the same are one kind.
SimulatedMachine MachineOf(const target::Attributes& device);
// "avx2, 1792 MiB"; "any" where neither is known.
std::string NameOfMachine(const SimulatedMachine& machine);

// Of the devices that the rule, the whole plan and the package's requirements take, the most first.
// Devices are counted one by one up to kExactPlanned, above from samples of distinct profiles.
// Empty: it reaches nobody yet.
Result<std::vector<MachineDevices>> MachinesOf(Transaction& tx, const ReleaseRow& release);

// The version of the newest complete release of the package, else of the newest superseded one:
// what devices run. Empty when there is none, or when it is the release's own.
Result<std::string> RunningVersion(Transaction& tx, const ReleaseRow& release);

}  // namespace ferry::server
