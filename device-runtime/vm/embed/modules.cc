#include "device-runtime/vm/embed/modules.h"

#include <zlib.h>

#include <algorithm>
#include <iterator>

namespace ferry::vm {
namespace {

#define FERRY_MODULE(name, size, ...) \
  {name, size, std::string_view(__VA_ARGS__, sizeof(__VA_ARGS__) - 1)},
constexpr EmbeddedModule kModules[] = {
#include "device-runtime/vm/modules.gen.inc"
};
#undef FERRY_MODULE

}  // namespace

const EmbeddedModule* FindEmbedded(std::string_view name) {
  const auto* const found = std::lower_bound(
      std::begin(kModules), std::end(kModules), name,
      [](const EmbeddedModule& one, std::string_view wanted) { return one.name < wanted; });
  return found != std::end(kModules) && found->name == name ? found : nullptr;
}

std::string Unpacked(const EmbeddedModule& module) {
  std::string bytes(module.size, '\0');
  uLongf size = bytes.size();
  const int status = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                                reinterpret_cast<const Bytef*>(module.packed.data()),
                                static_cast<uLong>(module.packed.size()));
  if (status != Z_OK || size != bytes.size()) bytes.clear();
  return bytes;
}

}  // namespace ferry::vm
