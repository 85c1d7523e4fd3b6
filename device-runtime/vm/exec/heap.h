// The memory of one isolate: size classes over chunks from TryAllocate, large blocks on their own,
// exact accounting against the limit, mark and sweep. Allocation never collects: the collector runs
// at safe points of the interpreter (Vm::SafePoint) and where ReserveExternal is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "device-runtime/vm/exec/object.h"

namespace ferry::vm {

inline constexpr size_t kChunkBytes = 32 << 10;
inline constexpr size_t kMaxSmall = 512;
inline constexpr size_t kGranule = 16;
inline constexpr size_t kSmallClasses = kMaxSmall / kGranule;
inline constexpr uint16_t kLargeClass = 0xFFFF;
inline constexpr int64_t kFirstCollection = 256 << 10;

class Heap {
 public:
  Heap(int64_t limit, bool collect_always)
      : limit_(limit),
        collect_always_(collect_always),
        threshold_(collect_always ? 0 : kFirstCollection) {}
  ~Heap();

  // Cleared memory with its header filled in; nullptr when the limit or the machine's memory is
  // passed: the caller reports with Vm::OutOfMemory.
  Object* NewObject(Type type, size_t size);
  // Buffers of objects. `size` must be given back exactly.
  void* NewBuffer(size_t size);
  void FreeBuffer(void* buffer, size_t size);

  bool Charge(int64_t bytes);  // external memory; false past the limit
  void Discharge(int64_t bytes);

  bool wants_collection() const { return used_ >= threshold_; }
  void Mark(Object* object);
  void Mark(Value v) {
    if (v.IsObject()) Mark(v.object());
  }
  void Drain();  // marks what is reachable from what was marked
  void Sweep();

  int64_t used() const { return used_; }
  int64_t peak() const { return peak_; }
  int64_t external() const { return external_; }
  int64_t limit() const { return limit_; }

 private:
  struct FreeBlock {
    Object header;
    FreeBlock* next;
  };
  struct Chunk {
    char* memory;
    uint32_t block;
    bool objects;
  };
  void* Small(size_t size_class, bool object);
  bool AddChunk(size_t size_class, bool object);
  bool Account(int64_t bytes);
  void Trace(Object* object);
  void Finalize(Object* object);

  const int64_t limit_;
  const bool collect_always_;
  int64_t used_ = 0, peak_ = 0, external_ = 0;
  int64_t threshold_;
  FreeBlock* free_objects_[kSmallClasses + 1] = {};
  FreeBlock* free_buffers_[kSmallClasses + 1] = {};
  std::vector<Chunk> chunks_;
  struct Large {
    Object* object;
    size_t size;
  };
  std::vector<Large> large_;
  std::vector<Object*> grey_;
};

}  // namespace ferry::vm
