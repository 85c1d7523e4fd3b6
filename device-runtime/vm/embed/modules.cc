#include "device-runtime/vm/embed/modules.h"

namespace ferry::vm {
namespace {

#define FERRY_MODULE(name, ...) {name, std::string_view(__VA_ARGS__, sizeof(__VA_ARGS__) - 1)},
constexpr EmbeddedModule kModules[] = {
#include "device-runtime/vm/modules.gen.inc"
};
#undef FERRY_MODULE

}  // namespace

std::span<const EmbeddedModule> EmbeddedModules() {
  return kModules;
}

}  // namespace ferry::vm
