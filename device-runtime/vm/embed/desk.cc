#include "device-runtime/vm/embed/desk.h"

#define FERRY_TABLE "device-runtime/vm/desk.gen.inc"
#include "device-runtime/vm/embed/table.inc"
#undef FERRY_TABLE

namespace ferry::vm {

const EmbeddedLibrary& DeskLibrary() {
  static constexpr EmbeddedLibrary kLibrary = {groups, kModules};
  return kLibrary;
}

}  // namespace ferry::vm
