#include "tools/fleetsim/faults/fault.h"

namespace ferry::fleetsim {

#define FERRY_FAULT(Name) extern const Fault k##Name##Fault;
#include "tools/fleetsim/faults/list.inc"
#undef FERRY_FAULT

bool IsShare(const Fault& fault) {
  return fault.strikes != Strikes::kDeviceHour && fault.strikes != Strikes::kServerHour;
}

const std::vector<const Fault*>& AllFaults() {
  static const std::vector<const Fault*> kAll = {
#define FERRY_FAULT(Name) &k##Name##Fault,
#include "tools/fleetsim/faults/list.inc"
#undef FERRY_FAULT
  };
  return kAll;
}

const Fault* FaultCalled(std::string_view name) {
  for (const Fault* fault : AllFaults())
    if (name == fault->name) return fault;
  return nullptr;
}

}  // namespace ferry::fleetsim
