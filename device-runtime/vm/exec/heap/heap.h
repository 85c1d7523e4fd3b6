// The memory of one isolate: size classes over chunks from TryAllocate, large blocks on their own,
// mark and sweep. The limit counts what is really taken: whole chunks, large blocks and external
// memory. Allocation never collects: the collector runs at safe points of the interpreter
// (Vm::SafePoint) and where ReserveExternal is called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "device-runtime/vm/exec/heap/check.h"
#include "device-runtime/vm/exec/layout.h"

namespace ferry::vm {

inline constexpr size_t kChunkBytes = 32 << 10;
inline constexpr size_t kFirstChunkBytes = 4 << 10;  // the first of a size class
inline constexpr size_t kMaxSmall = 1024;
inline constexpr size_t kGranule = 16;
inline constexpr size_t kSmallClasses = kMaxSmall / kGranule;
inline constexpr uint8_t kLargeClass = 0xFF;
inline constexpr size_t kImageBytes = 8 << 20;  // of address space: memory is taken as it is used
inline constexpr int64_t kFirstCollection = 1 << 20;
inline constexpr size_t kMaxGrey = 32 << 10;  // objects waiting to be traced; more are found again

// Memory that a heap takes its chunks from instead of TryAllocate, and never gives back: see
// image.h.
struct Region {
  char* at;
  char* end;
};

inline void Poison([[maybe_unused]] void* memory, [[maybe_unused]] size_t size) {
  if constexpr (kVmChecks) FillWords(memory, size, kFreshWord);
}

class Heap {
 public:
  Heap(int64_t limit, bool collect_always, Region* region = nullptr)
      : limit_(limit),
        collect_always_(collect_always),
        region_(region),
        threshold_(collect_always ? 0 : kFirstCollection) {}
  // Cleared memory with its header filled in; nullptr when the limit or the machine's memory is
  // passed: the caller reports with Vm::OutOfMemory.
  Object* NewObject(Type type, size_t size) {
    Object* object = NewUncleared(type, size);
    if (object == nullptr) return nullptr;
    std::memset(static_cast<void*>(object + 1), 0, size - sizeof(Object));
    return object;
  }
  // Only the header is filled in: the caller writes the rest at once.
  Object* NewUncleared(Type type, size_t size) {
    if (size > kMaxSmall) return NewLarge(type, size);
    const size_t size_class = ClassOfSize(size);
    auto* object = static_cast<Object*>(Small(objects_[size_class], size_class, true));
    if (object == nullptr) return nullptr;
    *object = {};
    object->type = type;
    object->size_class = static_cast<decltype(object->size_class)>(size_class);
    return object;
  }
  // Buffers of objects; nullptr as above. `size` must be given back exactly.
  void* NewBuffer(size_t size);
  void FreeBuffer(void* buffer, size_t size);
  // The same for those of at most kMaxSmall bytes, where they are made all the time.
  void* NewSmallBuffer(size_t size) {
    return Small(buffers_[ClassOfSize(size)], ClassOfSize(size), false);
  }

  // Counts external memory, which the collector may free; false: past the limit.
  bool Charge(int64_t bytes);
  void Discharge(int64_t bytes);
  // Counts memory of the isolate itself that lies elsewhere (code); false: past the limit.
  bool Hold(int64_t bytes);
  void Release(int64_t bytes);

  // Where the objects of the image lie.
  void SetImage(const char* begin, size_t size) { image_ = {begin, size, 0}; }
  void SetImage(const Heap& image) { image_ = image.image_; }

  bool wants_collection() const { return used_ >= threshold_; }
  bool collects_always() const { return collect_always_; }  // wants_collection() stays true
  void Mark(Value v) {
    if (v.IsObject()) Mark(v.object());
  }

  int64_t used() const { return used_; }    // by live blocks and external memory
  int64_t taken() const { return taken_; }  // what the limit counts
  int64_t peak() const { return peak_; }    // of taken()
  int64_t external() const { return external_; }
  int64_t limit() const { return limit_; }

  // ---- mark.cc ----
  // Marks an object, which is traced later.
  void Mark(Object* object);
  // Marks what is reachable from what was marked.
  void Drain();
  // Marks every object for ever: the heap of an image, which no sweep visits.
  void MarkAll();

  // ---- sweep.cc ----
  ~Heap();
  // Visits the generators that are not marked: between Drain and Sweep.
  void DeadGenerators(const std::function<void(Generator*)>& visit);
  // Frees what is not marked, and takes the marks away.
  void Sweep();

  // ---- identity.cc ----
  // Where the object lies, counted from the heap's beginning instead of from the machine's: the
  // same in every run of a script.
  uint64_t IdOf(const Object* object);

 private:
  struct FreeBlock {
    Object header;
    FreeBlock* next;
  };
  // Blocks of one size, for objects or for buffers: those given back, then the rest of the newest
  // chunk, which was never used.
  struct Blocks {
    FreeBlock* free = nullptr;
    char* fresh = nullptr;
    char* end = nullptr;
  };
  struct Chunk {
    char* memory;
    uint32_t size;
    uint16_t size_class;
    bool objects;
    uint64_t base;  // of IdOf
  };
  struct Place {
    const char* memory;
    size_t size;
    uint64_t base;
    bool Has(const char* at) const {
      return reinterpret_cast<uintptr_t>(at) - reinterpret_cast<uintptr_t>(memory) < size;
    }
  };
  struct alignas(kGranule) Large {
    Large* next;
    size_t size;    // with this header
    uint64_t base;  // of IdOf
    Object* object() { return reinterpret_cast<Object*>(this + 1); }
  };
  // FreeBlock needs a header and a link: the least block has room for both.
  static constexpr size_t ClassOfSize(size_t size) {
    const size_t size_class = (size + kGranule - 1) / kGranule;
    return size_class < 2 ? 2 : size_class;
  }
  void* Small(Blocks& blocks, size_t size_class, bool object) {
    void* memory = blocks.free;
    if (memory != nullptr) {
      if constexpr (kVmChecks)
        Require(IsFreed(memory, sizeof(FreeBlock), size_class * kGranule),
                "nobody writes into freed memory");
      blocks.free = blocks.free->next;
      __builtin_prefetch(blocks.free);  // whose link the next one reads
      if (!object) free_buffers_ -= static_cast<int64_t>(size_class * kGranule);
    } else {
      if (blocks.fresh == blocks.end && !AddChunk(blocks, size_class, object)) return nullptr;
      memory = blocks.fresh;
      blocks.fresh += size_class * kGranule;
    }
    used_ += static_cast<int64_t>(size_class * kGranule);
    Poison(memory, size_class * kGranule);
    return memory;
  }
  // ---- heap.cc ----
  Object* NewLarge(Type type, size_t size);
  bool AddChunk(Blocks& blocks, size_t size_class, bool object);
  void* Take(size_t size);
  void Return(void* memory, size_t size);
  bool Fits(int64_t bytes);

  // ---- sweep.cc ----
  void GiveBack(const Chunk& chunk);
  void DropSpare(int64_t keep);
  char* UsedEnd(const Chunk& chunk) const;
  bool SweepChunk(const Chunk& chunk);
  void SweepLarge();

  // ---- release.cc ----
  void ReleaseEmptyBuffers();

  // ---- mark.cc ----
  void Push(Object* object);
  void Rescan();
  template <typename Visit>
  void EachObject(Visit visit);

  // ---- collect.cc ----
  void Trace(Object* object);
  void MarkSlots(const Shape* shape, const Value* slots);
  void Finalize(Object* object);

  // ---- check.cc ----
  // Checked builds alone have these; what does not hold ends the program.
  // The span in which a block begins at `memory`; nullptr: none does.
  const HeapChecks::Span* SpanOf(const void* memory);
  void CheckMark(const Object* object);
  void CheckFree(const void* buffer, size_t size_class);
  // After a sweep: what lives adds up to what is counted.
  void CheckCounts();

  // ---- state ----
  const int64_t limit_;
  const bool collect_always_;
  Region* const region_;
  int64_t used_ = 0, taken_ = 0, peak_ = 0, external_ = 0;
  int64_t free_buffers_ = 0;  // bytes of buffers given back that lie in chunks
  int64_t threshold_;
  Blocks objects_[kSmallClasses + 1];
  Blocks buffers_[kSmallClasses + 1];
  std::vector<Chunk> chunks_;
  uint64_t next_base_ = kImageBytes;
  Place image_ = {}, last_place_ = {};
  std::vector<Place> places_;  // of the first `placed_` chunks, by address
  size_t placed_ = 0;
  FreeBlock* spare_ = nullptr;  // whole chunks of kChunkBytes without an owner
  int64_t spare_bytes_ = 0;
  Large* large_ = nullptr;
  // Objects marked and not yet traced. When there is no room, `overflow_` says that marked objects
  // must be traced once more.
  Object** grey_ = nullptr;
  size_t grey_count_ = 0, grey_capacity_ = 0;
  bool overflow_ = false;
  Object* few_grey_[64];
  [[no_unique_address]] HeapChecks checks_;
};

}  // namespace ferry::vm
