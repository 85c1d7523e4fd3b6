// The kernels of one instruction set: a pointer per family.
#pragma once

#include "device-runtime/kernels/isa.h"

namespace ferry::kernels {

#define FERRY_FAMILY(Name, member) struct Name##Kernels;
#include "device-runtime/kernels/list.inc"
#undef FERRY_FAMILY

// Members in the order of list.inc.
struct KernelTable {
  Isa isa;
#define FERRY_FAMILY(Name, member) const Name##Kernels* member;
#include "device-runtime/kernels/list.inc"
#undef FERRY_FAMILY
};

// The table of `isa`, which must run here (IsaRuns); static, read-only, any thread.
const KernelTable& TableOf(Isa isa);

}  // namespace ferry::kernels
