#include "tools/fleetsim/invariants/invariant.h"

namespace ferry::fleetsim {

#define FERRY_INVARIANT(Name) extern const Invariant k##Name##Invariant;
#include "tools/fleetsim/invariants/list.inc"
#undef FERRY_INVARIANT

const std::vector<const Invariant*>& AllInvariants() {
  static const std::vector<const Invariant*> kAll = {
#define FERRY_INVARIANT(Name) &k##Name##Invariant,
#include "tools/fleetsim/invariants/list.inc"
#undef FERRY_INVARIANT
  };
  return kAll;
}

}  // namespace ferry::fleetsim
