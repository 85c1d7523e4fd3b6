#include "device-runtime/vm/embed/modules.h"

#define FERRY_TABLE "device-runtime/vm/modules.gen.inc"
#include "device-runtime/vm/embed/table.inc"
#undef FERRY_TABLE

namespace ferry::vm {

const EmbeddedLibrary& RuntimeLibrary() {
  static constexpr EmbeddedLibrary kLibrary = {groups, kModules};
  return kLibrary;
}

}  // namespace ferry::vm
