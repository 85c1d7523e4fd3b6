#include "tools/fuzz/target.h"

#include "common/sys/filesystem.h"

namespace ferry::fuzz {

std::span<const Target> Targets() {
  static const Target kTargets[] = {
#define FERRY_FUZZ(name) k##name##Target,
#include "tools/fuzz/targets/list.inc"
#undef FERRY_FUZZ
  };
  return kTargets;
}

const Target* FindTarget(std::string_view name) {
  for (const Target& target : Targets()) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

Status WriteSeeds(const Target& target, const std::string& folder) {
  sys::FileSystem& disk = sys::SystemFileSystem();
  FERRY_TRY(disk.MakeDirectories(folder));
  const std::vector<Bytes> seeds = target.seeds();
  for (size_t i = 0; i < seeds.size(); ++i)
    FERRY_TRY(sys::WriteFileAtomically(disk, fmt::format("{}/seed-{}", folder, i), seeds[i]));
  return OkStatus();
}

}  // namespace ferry::fuzz
