#include "common/base/memory.h"

#include <atomic>
#include <cstdlib>

#include "common/base/check.h"

namespace ferry {
namespace {

std::atomic<int64_t> live_blocks{0};

struct Failure {
  int64_t countdown = 0;  // 0 = off
  bool sticky = false;
  bool fired = false;
};
thread_local Failure failure;

bool ShouldFail() {
  if (failure.countdown == 0) return false;
  if (failure.countdown > 1) {
    --failure.countdown;
    return false;
  }
  if (!failure.sticky) failure.countdown = 0;
  failure.fired = true;
  return true;
}

}  // namespace

void* TryAllocate(size_t size, size_t alignment) {
  DCHECK((alignment & (alignment - 1)) == 0);
  if (ShouldFail() || size > SIZE_MAX / 2) return nullptr;
  const size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory != nullptr) live_blocks.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

void Deallocate(void* memory) {
  if (memory == nullptr) return;
  live_blocks.fetch_sub(1, std::memory_order_relaxed);
  std::free(memory);
}

MemoryUse CurrentMemoryUse() {
  return {live_blocks.load(std::memory_order_relaxed)};
}

FailAllocations::FailAllocations(int64_t nth, bool sticky) {
  failure = {nth, sticky, false};
}
FailAllocations::~FailAllocations() {
  failure = {};
}
bool FailAllocations::fired() const {
  return failure.fired;
}

}  // namespace ferry
