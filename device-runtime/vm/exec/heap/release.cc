// Chunks of buffers that became empty.
#include <algorithm>
#include <vector>

#include "device-runtime/vm/exec/heap/heap.h"

namespace ferry::vm {

// Buffers are given back one by one, so nobody sees when a chunk of them becomes empty: this
// counts. Only called when memory is short.
void Heap::ReleaseEmptyBuffers() {
  if (free_buffers_ < static_cast<int64_t>(kChunkBytes)) return;
  std::vector<std::pair<Chunk, uint32_t>> counted;  // buffer chunks, bytes in use
  for (const Chunk& chunk : chunks_)
    if (!chunk.objects)
      counted.emplace_back(chunk, static_cast<uint32_t>(UsedEnd(chunk) - chunk.memory));
  const auto before = [](const auto& a, const auto& b) { return a.first.memory < b.first.memory; };
  std::sort(counted.begin(), counted.end(), before);
  const auto chunk_of = [&](void* block) -> std::pair<Chunk, uint32_t>& {
    return *(
        std::upper_bound(counted.begin(), counted.end(),
                         std::pair<Chunk, uint32_t>{{static_cast<char*>(block), 0, 0, false, 0}, 0},
                         before) -
        1);
  };
  for (size_t c = 1; c <= kSmallClasses; ++c)
    for (FreeBlock* block = buffers_[c].free; block != nullptr; block = block->next)
      chunk_of(block).second -= static_cast<uint32_t>(c * kGranule);
  for (size_t c = 1; c <= kSmallClasses; ++c) {
    FreeBlock** link = &buffers_[c].free;
    while (*link != nullptr) {
      if (chunk_of(*link).second == 0) {
        *link = (*link)->next;
        free_buffers_ -= static_cast<int64_t>(c * kGranule);
      } else {
        link = &(*link)->next;
      }
    }
  }
  for (const auto& [chunk, used] : counted)
    if (used == 0) GiveBack(chunk);
  places_.clear();
  placed_ = 0;
  last_place_ = {};
  std::erase_if(chunks_, [&](const Chunk& chunk) {
    return !chunk.objects && chunk_of(chunk.memory).second == 0;
  });
  checks_.ChunksChanged();
  DropSpare(0);
}

}  // namespace ferry::vm
