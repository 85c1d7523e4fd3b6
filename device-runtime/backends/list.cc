#include "device-runtime/backends/list.h"

#include <vector>

namespace ferry::backends {

#define FERRY_BACKEND(name) const Backend& name##Backend();
#include "device-runtime/backends/list.inc"
#undef FERRY_BACKEND

std::span<const Backend* const> AllBackends() {
  static const auto& all = *new std::vector<const Backend*>{
#define FERRY_BACKEND(name) &name##Backend(),
#include "device-runtime/backends/list.inc"
#undef FERRY_BACKEND
  };
  return all;
}

}  // namespace ferry::backends
