#include "tools/fuzz/target.h"

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

}  // namespace ferry::fuzz
