#include "device-runtime/vm/embed/modules.h"

#include <zlib.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <span>

#include "common/base/bytes.h"

namespace ferry::vm {
namespace {

#define FERRY_GROUP(modules, size, ...) \
  {modules, size, std::string_view(__VA_ARGS__, sizeof(__VA_ARGS__) - 1)},
#define FERRY_MODULE(...)
constinit EmbeddedGroup groups[] = {
#include "device-runtime/vm/modules.gen.inc"
};
#undef FERRY_GROUP
#undef FERRY_MODULE
#define FERRY_GROUP(...)
#define FERRY_MODULE(name, group, column) {name, &groups[group], column},
constexpr EmbeddedModule kModules[] = {
#include "device-runtime/vm/modules.gen.inc"
};
#undef FERRY_GROUP
#undef FERRY_MODULE

void Unpack(EmbeddedGroup& group) {
  auto bytes = std::make_unique<std::string>(group.size, '\0');
  uLongf size = bytes->size();
  const int status = uncompress(reinterpret_cast<Bytef*>(bytes->data()), &size,
                                reinterpret_cast<const Bytef*>(group.packed.data()),
                                static_cast<uLong>(group.packed.size()));
  if (status == Z_OK && size == bytes->size()) group.bytes = bytes.release();
}

void UnpackOnce(EmbeddedGroup& group) {
  std::call_once(group.once, [&] { Unpack(group); });
}

}  // namespace

const EmbeddedModule* FindEmbedded(std::string_view name) {
  const auto* const found = std::lower_bound(
      std::begin(kModules), std::end(kModules), name,
      [](const EmbeddedModule& one, std::string_view wanted) { return one.name < wanted; });
  return found != std::end(kModules) && found->name == name ? found : nullptr;
}

bool IsEmbeddedPackage(std::string_view name) {
  return std::ranges::any_of(kModules, [name](const EmbeddedModule& one) {
    return std::string_view(one.name).starts_with(name) && one.name[name.size()] == '.';
  });
}

std::string Unpacked(const EmbeddedModule& module) {
  UnpackOnce(*module.group);
  std::string bytes;
  if (module.group->bytes == nullptr) return bytes;
  const std::string_view all = *module.group->bytes;
  const uint32_t columns = module.group->modules;
  const std::span<const uint8_t> sizes = AsBytes(all);
  size_t at = size_t{4} * kFilePieces * columns;
  for (uint32_t i = 0; i < kFilePieces * columns; ++i) {
    const uint32_t size = GetU32(&sizes[size_t{4} * i]);
    if (i % columns == module.column) bytes += all.substr(at, size);
    at += size;
  }
  return bytes;
}

void UnpackGroups() {
  for (EmbeddedGroup& group : groups) UnpackOnce(group);
}

}  // namespace ferry::vm
