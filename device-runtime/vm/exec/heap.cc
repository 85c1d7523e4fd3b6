#include "device-runtime/vm/exec/heap.h"

#include <algorithm>
#include <cstring>

#include "common/base/memory.h"

namespace ferry::vm {

bool Heap::Account(int64_t bytes) {
  if (bytes > limit_ - used_) return false;
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  return true;
}

bool Heap::Charge(int64_t bytes) {
  if (!Account(bytes)) return false;
  external_ += bytes;
  return true;
}

void Heap::Discharge(int64_t bytes) {
  used_ -= bytes;
  external_ -= bytes;
}

bool Heap::AddChunk(size_t size_class, bool object) {
  char* memory = static_cast<char*>(TryAllocate(kChunkBytes));
  if (memory == nullptr) return false;
  const size_t block = size_class * kGranule;
  chunks_.push_back({memory, static_cast<uint32_t>(block), object});
  FreeBlock*& list = object ? free_objects_[size_class] : free_buffers_[size_class];
  for (size_t at = kChunkBytes / block; at-- > 0;) {
    auto* free = reinterpret_cast<FreeBlock*>(memory + at * block);
    free->header.type = Type::kFree;
    free->next = list;
    list = free;
  }
  return true;
}

void* Heap::Small(size_t size_class, bool object) {
  FreeBlock*& list = object ? free_objects_[size_class] : free_buffers_[size_class];
  if (!Account(static_cast<int64_t>(size_class * kGranule))) return nullptr;
  if (list == nullptr && !AddChunk(size_class, object)) {
    used_ -= static_cast<int64_t>(size_class * kGranule);
    return nullptr;
  }
  FreeBlock* block = list;
  list = block->next;
  return block;
}

// FreeBlock needs a header and a link: the least block has room for both.
constexpr size_t ClassOf(size_t size) {
  return std::max<size_t>((size + kGranule - 1) / kGranule, 1);
}

Object* Heap::NewObject(Type type, size_t size) {
  if (size <= kMaxSmall) {
    const size_t size_class = ClassOf(size);
    void* memory = Small(size_class, true);
    if (memory == nullptr) return nullptr;
    std::memset(memory, 0, size_class * kGranule);
    auto* object = static_cast<Object*>(memory);
    object->type = type;
    object->size_class = static_cast<uint16_t>(size_class);
    return object;
  }
  if (size > SIZE_MAX / 4 || !Account(static_cast<int64_t>(size))) return nullptr;
  auto* object = static_cast<Object*>(TryAllocate(size, 16));
  if (object == nullptr) {
    used_ -= static_cast<int64_t>(size);
    return nullptr;
  }
  std::memset(static_cast<void*>(object), 0, size);
  object->type = type;
  object->size_class = kLargeClass;
  large_.push_back({object, size});
  return object;
}

void* Heap::NewBuffer(size_t size) {
  if (size <= kMaxSmall) return Small(ClassOf(size), false);
  if (size > SIZE_MAX / 4 || !Account(static_cast<int64_t>(size))) return nullptr;
  void* memory = TryAllocate(size, 16);
  if (memory == nullptr) used_ -= static_cast<int64_t>(size);
  return memory;
}

void Heap::FreeBuffer(void* buffer, size_t size) {
  if (buffer == nullptr) return;
  if (size <= kMaxSmall) {
    const size_t size_class = ClassOf(size);
    auto* block = static_cast<FreeBlock*>(buffer);
    block->next = free_buffers_[size_class];
    free_buffers_[size_class] = block;
    used_ -= static_cast<int64_t>(size_class * kGranule);
    return;
  }
  Deallocate(buffer);
  used_ -= static_cast<int64_t>(size);
}

void Heap::Sweep() {
  for (const Chunk& chunk : chunks_) {
    if (!chunk.objects) continue;
    const size_t count = kChunkBytes / chunk.block;
    for (size_t i = 0; i < count; ++i) {
      auto* object = reinterpret_cast<Object*>(chunk.memory + i * chunk.block);
      if (object->type == Type::kFree) continue;
      if (object->marked) {
        object->marked = false;
        continue;
      }
      Finalize(object);
      const size_t size_class = object->size_class;
      if (collect_always_) std::memset(static_cast<void*>(object), 0xDD, chunk.block);
      auto* free = reinterpret_cast<FreeBlock*>(object);
      free->header.type = Type::kFree;
      free->next = free_objects_[size_class];
      free_objects_[size_class] = free;
      used_ -= chunk.block;
    }
  }
  std::erase_if(large_, [this](const Large& large) {
    if (large.object->marked) {
      large.object->marked = false;
      return false;
    }
    Finalize(large.object);
    used_ -= static_cast<int64_t>(large.size);
    Deallocate(large.object);
    return true;
  });
  // Grow by half of what lives, and keep some room below the limit.
  const int64_t room = std::max<int64_t>((limit_ - used_) / 2, 1024);
  threshold_ = collect_always_ ? 0 : used_ + std::min(std::max(used_, kFirstCollection), room);
}

Heap::~Heap() {
  Sweep();  // nothing is marked: all objects are finalized
  for (const Chunk& chunk : chunks_) Deallocate(chunk.memory);
}

}  // namespace ferry::vm
