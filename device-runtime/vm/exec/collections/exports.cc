// Whether memory views refer to a bytearray or array that is about to change its size. Nothing
// counts references, so where there may be some a collection looks which of them live. What only
// temporary registers hold does not count: these are not cleared when an expression ends.
#include <algorithm>

#include "device-runtime/vm/exec/collections/buffer.h"

namespace ferry::vm {
namespace {

constexpr size_t kMostViews = 256;       // remembered; with more nobody asks
constexpr int kMostDoubts = 64;          // collections that find no view; then nobody asks any more
constexpr int64_t kMostHeap = 64 << 20;  // of larger heaps nobody asks
constexpr int64_t kLookSteps = 5000;

bool Seen(const Vm& vm, const ByteArray* bytes) {
  return std::any_of(vm.views.begin(), vm.views.end(), [&](const MemoryView* view) {
    return !view->released && view->base.object() == bytes;
  });
}

}  // namespace

void RememberView(Vm& vm, MemoryView* view) {
  if (!Is(view->base, Type::kBytes) && vm.views.size() < kMostViews) vm.views.push_back(view);
}

bool MayResize(Vm& vm, ByteArray* bytes) {
  if (vm.views.empty() || !Seen(vm, bytes)) return true;
  if (vm.collection_blocked > 0 || vm.frames.empty() || vm.views.size() >= kMostViews ||
      vm.view_doubts >= kMostDoubts || vm.heap.used() > kMostHeap)
    return true;
  if (!vm.ChargeSteps(kLookSteps)) return false;
  vm.asked = bytes;
  vm.Collect();
  if (std::exchange(vm.asked, nullptr) != nullptr) {
    ++vm.view_doubts;
    return true;
  }
  vm.Raise(Error::kBufferError, bytes->type == Type::kArray
                                    ? "cannot resize an array that is exporting buffers"
                                    : "Existing exports of data: object cannot be re-sized");
  return false;
}

}  // namespace ferry::vm
