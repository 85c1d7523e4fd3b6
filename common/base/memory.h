// Raw memory for tensors, script heaps and message buffers: aligned, and failing like a full device
// when a test asks. Everything large that outside input sizes comes from here, so that "out of
// memory" is a Status, not an abort.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ferry {

inline constexpr size_t kDefaultAlignment = 64;  // one cache line, one AVX-512 register

// `size` bytes aligned to `alignment` (a power of two), or nullptr. The bytes are not cleared. Any
// thread.
[[nodiscard]] void* TryAllocate(size_t size, size_t alignment = kDefaultAlignment);
void Deallocate(void* memory);

// Bytes and blocks handed out and not yet returned, over the whole process.
struct MemoryUse {
  int64_t blocks;
};
MemoryUse CurrentMemoryUse();

// While it lives, the calling thread's allocation number `nth` from now (from 1) fails, and all
// later ones when `sticky`. Tests sweep nth from 1 until nothing fails any more.
class FailAllocations {
 public:
  explicit FailAllocations(int64_t nth, bool sticky = false);
  ~FailAllocations();
  FailAllocations(const FailAllocations&) = delete;
  FailAllocations& operator=(const FailAllocations&) = delete;
  // Whether an allocation has failed because of it.
  bool fired() const;
};

}  // namespace ferry
