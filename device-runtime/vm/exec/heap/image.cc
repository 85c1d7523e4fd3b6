#include "device-runtime/vm/exec/heap/image.h"

#include <mutex>

#include "common/sys/pages.h"

namespace ferry::vm {
namespace {

// Strings remember their hash when someone asks: there must be nothing left to remember.
void HashStrings(const InternTable& table, Vm& vm) {
  uint64_t ignored;
  for (uint32_t i = 0; i < table.capacity; ++i)
    if (table.places[i] != nullptr) vm.Hash(Value::Of(table.places[i]), &ignored);
}

const Vm* MakeImage() {
  char* pages = static_cast<char*>(sys::MapPages(kImageBytes));
  if (pages == nullptr) return nullptr;
  // The image is never destroyed, so neither is what its machine points to.
  auto* region = new Region{pages, pages + kImageBytes};
  auto* vm = new Vm(Isolate::Options{.limits = {.memory_bytes = kImageBytes, .depth = 50}}, region);
  vm->heap.SetImage(pages, kImageBytes);
  if (!vm->Start(nullptr)) {
    delete vm;
    delete region;
    sys::UnmapPages(pages, kImageBytes);
    return nullptr;
  }
  HashStrings(vm->interned, *vm);
  vm->heap.MarkAll();
  vm->stack.reset();
  sys::MakeReadOnly(pages, kImageBytes);
  return vm;
}

}  // namespace

const Vm* Image() {
  static std::atomic<const Vm*> image{nullptr};
  const Vm* made = image.load(std::memory_order_acquire);
  if (made != nullptr) return made;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  made = image.load(std::memory_order_acquire);
  if (made == nullptr) image.store(made = MakeImage(), std::memory_order_release);
  return made;
}

}  // namespace ferry::vm
