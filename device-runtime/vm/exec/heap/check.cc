// What the heap asks of itself in checked builds; others have nothing of this file.
#include "device-runtime/vm/exec/heap/check.h"

#include <algorithm>

#include "device-runtime/vm/exec/heap/check_object.h"
#include "device-runtime/vm/exec/heap/heap.h"

namespace ferry::vm {

#if FERRY_VM_CHECKS

const HeapChecks::Span* Heap::SpanOf(const void* memory) {
  if (!checks_.known) {
    checks_.chunks.clear();
    for (const Chunk& chunk : chunks_)
      checks_.chunks.push_back(
          {chunk.memory, chunk.memory + chunk.size, chunk.size_class, chunk.objects});
    std::sort(
        checks_.chunks.begin(), checks_.chunks.end(),
        [](const HeapChecks::Span& a, const HeapChecks::Span& b) { return a.begin < b.begin; });
    checks_.known = true;
  }
  // Every reference that is marked asks this, in builds that inline nothing: no algorithm of the
  // library here.
  const char* const at = static_cast<const char*>(memory);
  const HeapChecks::Span* const all = checks_.chunks.data();
  size_t low = 0, high = checks_.chunks.size();  // those below `low` begin at or before it
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (at < all[middle].begin) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (low == 0) return nullptr;
  const HeapChecks::Span& span = all[low - 1];
  const size_t block = span.size_class * kGranule;
  const Blocks& blocks = (span.objects ? objects_ : buffers_)[span.size_class];
  const auto size = static_cast<size_t>(span.end - span.begin);
  const char* end = span.begin + size / block * block;
  if (end == blocks.end) end = blocks.fresh;
  const bool begins = at < end && static_cast<size_t>(at - span.begin) % block == 0;
  return begins ? &span : nullptr;
}

void Heap::CheckMark(const Object* object) {
  if (object == nullptr) return;
  if (image_.Has(reinterpret_cast<const char*>(object))) {
    Require(object->type != Type::kFree && object->type < Type::kCount,
            "what is marked is an object of the image");
    return;
  }
  size_t room;
  if (const HeapChecks::Span* span = SpanOf(object); span != nullptr) {
    Require(span->objects, "what is marked is no buffer");
    Require(span->size_class == object->size_class, "a marked object has the size of its block");
    room = span->size_class * kGranule;
  } else {
    Require(checks_.large.count(object) != 0, "what is marked is an object of this heap");
    Require(object->size_class == kLargeClass, "a marked object has the size of its block");
    room = (reinterpret_cast<const Large*>(object) - 1)->size - sizeof(Large);
  }
  if (object->marked) return;
  const char* const wrong = WrongObject(*object, room);
  if (wrong != nullptr) CheckFailed(Site::Here(), "what is marked is a live object", wrong);
}

void Heap::CheckFree(const void* buffer, size_t size_class) {
  const HeapChecks::Span* span = SpanOf(buffer);
  Require(span != nullptr && !span->objects, "what is freed is a buffer of this heap");
  Require(span->size_class == size_class, "a buffer is freed with the size it was made with");
  Require(!IsFreed(buffer, 0, sizeof kFreedWord), "a buffer is freed once");
}

void Heap::CheckCounts() {
  int64_t live = 0, chunks = 0, in_buffers = 0, free_buffers = 0, large = 0, spare = 0;
  size_t free_objects[kSmallClasses + 1] = {};
  for (const Chunk& chunk : chunks_) {
    chunks += chunk.size;
    const size_t block = chunk.size_class * kGranule;
    char* const end = UsedEnd(chunk);
    if (!chunk.objects) in_buffers += end - chunk.memory;
    for (char* at = chunk.memory; chunk.objects && at < end; at += block) {
      const auto* object = reinterpret_cast<const Object*>(at);
      if (object->type == Type::kFree) {
        ++free_objects[chunk.size_class];
      } else {
        Require(!object->marked, "no object is marked after a sweep");
        live += static_cast<int64_t>(block);
      }
    }
  }
  for (size_t c = 0; c <= kSmallClasses; ++c) {
    size_t count = 0;
    for (const FreeBlock* block = objects_[c].free; block != nullptr; block = block->next) ++count;
    Require(count == free_objects[c], "the free objects are in their list");
    for (const FreeBlock* block = buffers_[c].free; block != nullptr; block = block->next)
      free_buffers += static_cast<int64_t>(c * kGranule);
  }
  for (const Large* one = large_; one != nullptr; one = one->next)
    large += static_cast<int64_t>(one->size);
  for (const FreeBlock* one = spare_; one != nullptr; one = one->next)
    spare += static_cast<int64_t>(kChunkBytes);
  Require(free_buffers == free_buffers_, "the free buffers are in their lists");
  Require(spare == spare_bytes_, "the spare chunks are in their list");
  Require(live + in_buffers - free_buffers + large + checks_.other == used_,
          "what lives adds up to what is used");
  Require(chunks + spare + large + checks_.other == taken_,
          "what the heap holds adds up to what it took");
}

#endif

}  // namespace ferry::vm
