#include "cloud-server/rollout/trial/fleet.h"

#include <algorithm>
#include <map>

#include "cloud-server/core/tally.h"
#include "cloud-server/rollout/rows.h"
#include "policy/requires/requires.h"

namespace ferry::server {
namespace {

// Devices that stand for all of one profile, where a rule takes a share of them.
constexpr int64_t kTries = 64;

// ORDER: isa. Of each family from the slowest to the fastest, as device-runtime/kernels has them.
constexpr const char* kIsas[] = {"avx2", "avxvnni", "avx512",  "vnni", "avx512bf16",
                                 "amx",  "neon",    "dotprod", "i8mm"};

// Whom a release takes in the end.
struct Reach {
  const ReleaseRow& release;
  stage::Plan plan;
  requires_::Requires needs;

  bool Takes(const target::Attributes& device) const {
    return !IsStopped(release, target::SlicesOf(device)) &&
           requires_::CheckRequires(needs, device, {}).fits &&
           stage::Includes(plan, plan.stages.size() - 1, device, release.salt).matches;
  }
};

Result<Reach> ReachOf(Transaction& tx, const ReleaseRow& release) {
  FERRY_ASSIGN_OR_RETURN(stage::Plan plan, PlanOf(release));
  const Result<PackageRow> package = tx.packages().Get(release.package, release.version);
  if (!package.ok() && package.code() != Code::kNotFound) return package.status();
  requires_::Requires needs;
  if (package.ok()) {
    FERRY_ASSIGN_OR_RETURN(needs, requires_::RequiresFromText(package->requires_json));
  }
  // Other packages come with the release's own devices: what they have today says nothing.
  needs.packages.clear();
  needs.base.clear();
  return Reach{release, std::move(plan), std::move(needs)};
}

using Kinds = std::map<SimulatedMachine, int64_t>;

Status CountDevices(Transaction& tx, const Reach& reach, Kinds* kinds) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<DeviceRow> devices,
                         tx.devices().All(reach.release.tenant));
  for (const DeviceRow& device : devices) {
    const target::Attributes attributes = AttributesOf(device);
    if (!device.blocked && reach.Takes(attributes)) ++(*kinds)[MachineOf(attributes)];
  }
  return OkStatus();
}

// In tries, which are divided at the end: small profiles of one kind add up.
void CountTries(const std::vector<ProfileRow>& profiles, const Reach& reach, Kinds* kinds) {
  for (const ProfileRow& profile : profiles) {
    target::Attributes attributes = AttributesOf(profile.sample);
    int64_t taken = 0;
    for (int64_t i = 0; i < kTries; ++i) {
      attributes.device_id = fmt::format("sample-{}", i);
      taken += reach.Takes(attributes);
    }
    if (taken > 0) (*kinds)[MachineOf(attributes)] += taken * profile.devices;
  }
  for (auto& [machine, devices] : *kinds) devices = (devices + kTries - 1) / kTries;
}

}  // namespace

SimulatedMachine MachineOf(const target::Attributes& device) {
  SimulatedMachine machine;
  // Who names its processors runs portable code at least.
  if (!device.isa.empty()) machine.isa = "reference";
  for (const char* isa : kIsas)
    if (std::find(device.isa.begin(), device.isa.end(), isa) != device.isa.end()) machine.isa = isa;
  const int64_t memory = device.memory_bytes.value_or(-1);
  if (memory < 0 || memory >= kAmpleMemory) return machine;
  const int64_t step = memory >= kMemoryStep ? kMemoryStep : kLeastMemory;
  machine.memory_bytes = static_cast<uint64_t>(std::max(memory / step * step, kLeastMemory));
  return machine;
}

std::string NameOfMachine(const SimulatedMachine& machine) {
  if (machine == SimulatedMachine{}) return "any";
  std::string name = machine.isa;
  if (machine.memory_bytes == 0) return name;
  if (!name.empty()) name += ", ";
  return name + fmt::format("{} MiB", machine.memory_bytes >> 20);
}

Result<std::vector<MachineDevices>> MachinesOf(Transaction& tx, const ReleaseRow& release) {
  FERRY_ASSIGN_OR_RETURN(const Reach reach, ReachOf(tx, release));
  FERRY_ASSIGN_OR_RETURN(const std::vector<ProfileRow> profiles,
                         tx.devices().Profiles(release.tenant));
  int64_t devices = 0;
  for (const ProfileRow& profile : profiles) devices += profile.devices;
  Kinds kinds;
  if (devices > kExactPlanned) {
    CountTries(profiles, reach, &kinds);
  } else {
    FERRY_TRY(CountDevices(tx, reach, &kinds));
  }
  std::vector<MachineDevices> machines;
  for (const auto& [machine, count] : kinds) machines.push_back({machine, count});
  std::stable_sort(
      machines.begin(), machines.end(),
      [](const MachineDevices& a, const MachineDevices& b) { return a.devices > b.devices; });
  return machines;
}

Result<std::string> RunningVersion(Transaction& tx, const ReleaseRow& release) {
  FERRY_ASSIGN_OR_RETURN(const std::vector<ReleaseRow> rows, tx.releases().All());  // newest first
  const ReleaseRow* running = nullptr;
  for (const ReleaseRow& row : rows) {
    if (row.tenant != release.tenant || row.package != release.package || row.id == release.id)
      continue;
    if (row.state == ReleaseState::kSuperseded && running == nullptr) running = &row;
    if (row.state != ReleaseState::kComplete) continue;
    running = &row;
    break;
  }
  if (running == nullptr || running->version == release.version) return std::string();
  return running->version;
}

}  // namespace ferry::server
