// Allocation. sweep.cc gives back, collect.cc knows what each type refers to.
#include "device-runtime/vm/exec/heap/heap.h"

#include <algorithm>
#include <cstring>

#include "common/base/memory.h"
#include "device-runtime/vm/exec/heap/root_stack.h"

namespace ferry::vm {

void RootStack::Grow() {
  constexpr size_t kLeast = 64;
  const size_t capacity = std::max(kLeast, capacity_ * 2);
  auto values = std::make_unique<Value[]>(capacity);
  std::copy_n(values_.get(), size_, values.get());
  values_ = std::move(values);
  capacity_ = capacity;
}

// Whether `bytes` more may be taken, after giving back what lies idle if need be.
bool Heap::Fits(int64_t bytes) {
  if (bytes <= limit_ - taken_) return true;
  DropSpare(0);
  if (bytes <= limit_ - taken_) return true;
  ReleaseEmptyBuffers();
  return bytes <= limit_ - taken_;
}

void* Heap::Take(size_t size) {
  if (!Fits(static_cast<int64_t>(size))) return nullptr;
  void* memory;
  if (region_ != nullptr) {
    const size_t rounded = (size + kDefaultAlignment - 1) & ~(kDefaultAlignment - 1);
    if (rounded > static_cast<size_t>(region_->end - region_->at)) return nullptr;
    memory = region_->at;
    region_->at += rounded;
  } else {
    memory = TryAllocate(size, kGranule);
    if (memory == nullptr) return nullptr;
  }
  taken_ += static_cast<int64_t>(size);
  peak_ = std::max(peak_, taken_);
  Poison(memory, size);
  return memory;
}

void Heap::Return(void* memory, size_t size) {
  taken_ -= static_cast<int64_t>(size);
  if (region_ == nullptr) Deallocate(memory);
}

bool Heap::Hold(int64_t bytes) {
  if (!Fits(bytes)) return false;
  checks_.AddOther(bytes);
  used_ += bytes;
  taken_ += bytes;
  peak_ = std::max(peak_, taken_);
  return true;
}

void Heap::Release(int64_t bytes) {
  checks_.AddOther(-bytes);
  used_ -= bytes;
  taken_ -= bytes;
}

bool Heap::Charge(int64_t bytes) {
  if (!Hold(bytes)) return false;
  external_ += bytes;
  return true;
}

void Heap::Discharge(int64_t bytes) {
  checks_.AddOther(-bytes);
  used_ -= bytes;
  taken_ -= bytes;
  external_ -= bytes;
}

[[gnu::cold]] bool Heap::AddChunk(Blocks& blocks, size_t size_class, bool object) {
  const size_t size = blocks.end == nullptr ? kFirstChunkBytes : kChunkBytes;
  char* memory;
  if (size == kChunkBytes && spare_ != nullptr) {
    memory = reinterpret_cast<char*>(spare_);
    spare_ = spare_->next;
    spare_bytes_ -= static_cast<int64_t>(kChunkBytes);
  } else {
    memory = static_cast<char*>(Take(size));
    if (memory == nullptr) return false;
  }
  chunks_.push_back(
      {memory, static_cast<uint32_t>(size), static_cast<uint16_t>(size_class), object, next_base_});
  checks_.ChunksChanged();
  next_base_ += size;
  const size_t block = size_class * kGranule;
  blocks.fresh = memory;
  blocks.end = memory + size / block * block;
  return true;
}

Object* Heap::NewLarge(Type type, size_t size) {
  if (size > SIZE_MAX / 4) return nullptr;
  const size_t whole = size + sizeof(Large);
  auto* large = static_cast<Large*>(Take(whole));
  if (large == nullptr) return nullptr;
  used_ += static_cast<int64_t>(whole);
  large->next = large_;
  large->size = whole;
  large->base = next_base_;
  next_base_ += (whole + kGranule - 1) & ~(kGranule - 1);
  large_ = large;
  Object* object = large->object();
  *object = {};
  object->type = type;
  object->size_class = kLargeClass;
  checks_.AddLarge(object);
  return object;
}

void* Heap::NewBuffer(size_t size) {
  if (size <= kMaxSmall) return Small(buffers_[ClassOfSize(size)], ClassOfSize(size), false);
  if (size > SIZE_MAX / 4) return nullptr;
  void* memory = Take(size);
  if (memory != nullptr) {
    checks_.AddOther(static_cast<int64_t>(size));
    used_ += static_cast<int64_t>(size);
  }
  return memory;
}

void Heap::FreeBuffer(void* buffer, size_t size) {
  if (buffer == nullptr) return;
  if (size > kMaxSmall) {
    checks_.AddOther(-static_cast<int64_t>(size));
    used_ -= static_cast<int64_t>(size);
    Return(buffer, size);
    return;
  }
  const size_t size_class = ClassOfSize(size);
  if constexpr (kVmChecks) {
    CheckFree(buffer, size_class);
    FillWords(buffer, size_class * kGranule, kFreedWord);
  }
  auto* block = static_cast<FreeBlock*>(buffer);
  block->next = buffers_[size_class].free;
  buffers_[size_class].free = block;
  used_ -= static_cast<int64_t>(size_class * kGranule);
  free_buffers_ += static_cast<int64_t>(size_class * kGranule);
}

}  // namespace ferry::vm
