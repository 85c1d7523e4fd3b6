// What checked builds ask of the heap (check.h): that what is marked or traced is a live object of
// this heap, that its sizes agree with its block, that freed memory is neither used nor freed
// again, and that the heap's counts are what its blocks add up to.
#pragma once

#include <cstdint>
#include <cstring>
#include <unordered_set>
#include <vector>

#include "device-runtime/vm/exec/layout.h"

namespace ferry::vm {

// Fresh memory is full of references to no object, so that whoever reads a value before it was
// written ends at once; freed memory is full of other ones.
inline constexpr uint64_t kFreshWord = 0xFFFA'5DDD'DDDD'DDD0;
inline constexpr uint64_t kFreedWord = 0xFFFA'5EEE'EEEE'EEE0;

inline void FillWords(void* memory, size_t size, uint64_t word) {
  for (size_t i = 0; i + sizeof word <= size; i += sizeof word)
    std::memcpy(static_cast<char*>(memory) + i, &word, sizeof word);
}

// Whether the words of a freed block from byte `from` on are as they were left. Nobody may write
// into freed memory.
inline bool IsFreed(const void* memory, size_t from, size_t size) {
  for (size_t i = from; i + sizeof kFreedWord <= size; i += sizeof kFreedWord)
    if (std::memcmp(static_cast<const char*>(memory) + i, &kFreedWord, sizeof kFreedWord) != 0)
      return false;
  return true;
}

#if FERRY_VM_CHECKS

// What a heap remembers for its checks alone.
struct HeapChecks {
  struct Span {
    const char* begin;
    const char* end;
    uint16_t size_class;
    bool objects;
  };
  std::vector<Span> chunks;  // by address, as they were when `known` was set
  bool known = false;
  std::unordered_set<const Object*> large;
  int64_t other = 0;  // bytes in use that are in no chunk and no large object

  void ChunksChanged() { known = false; }
  void AddLarge(const Object* object) { large.insert(object); }
  void RemoveLarge(const Object* object) { large.erase(object); }
  void AddOther(int64_t bytes) { other += bytes; }
};

#else

struct HeapChecks {
  struct Span;
  void ChunksChanged() {}
  void AddLarge(const Object*) {}
  void RemoveLarge(const Object*) {}
  void AddOther(int64_t) {}
};

#endif

}  // namespace ferry::vm
