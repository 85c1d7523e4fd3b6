#include "device-runtime/bindings/modules.h"

namespace ferry::bindings {

#define FERRY_MODULE(Name, text) const vm::NativeModule& Name##Module();
#include "device-runtime/bindings/modules/list.inc"
#undef FERRY_MODULE

std::vector<const vm::NativeModule*> AllModules() {
  return {
#define FERRY_MODULE(Name, text) &Name##Module(),
#include "device-runtime/bindings/modules/list.inc"
#undef FERRY_MODULE
  };
}

}  // namespace ferry::bindings
