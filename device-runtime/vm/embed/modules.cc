#include "device-runtime/vm/embed/modules.h"

#include <zlib.h>

#include <algorithm>
#include <memory>

#include "common/base/bytes.h"

namespace ferry::vm {
namespace {

void UnpackGroup(EmbeddedGroup& group) {
  auto bytes = std::make_unique<std::string>(group.size, '\0');
  uLongf size = bytes->size();
  const int status = uncompress(reinterpret_cast<Bytef*>(bytes->data()), &size,
                                reinterpret_cast<const Bytef*>(group.packed.data()),
                                static_cast<uLong>(group.packed.size()));
  if (status == Z_OK && size == bytes->size()) group.bytes = bytes.release();
}

void UnpackOnce(EmbeddedGroup& group) {
  std::call_once(group.once, [&] { UnpackGroup(group); });
}

}  // namespace

const EmbeddedModule* EmbeddedLibrary::Find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(
      modules, name, {}, [](const EmbeddedModule& one) { return std::string_view(one.name); });
  return found != modules.end() && found->name == name ? &*found : nullptr;
}

bool EmbeddedLibrary::IsPackage(std::string_view name) const {
  return std::ranges::any_of(modules, [name](const EmbeddedModule& one) {
    return std::string_view(one.name).starts_with(name) && one.name[name.size()] == '.';
  });
}

void EmbeddedLibrary::Unpack() const {
  for (EmbeddedGroup& group : groups) UnpackOnce(group);
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

}  // namespace ferry::vm
