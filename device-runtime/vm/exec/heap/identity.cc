// id() and what follows from it: hashes of objects without __hash__, the order of their sets.
// Addresses differ from run to run, and with them how often a set must grow; these numbers do not.
#include <algorithm>

#include "device-runtime/vm/exec/heap/heap.h"

namespace ferry::vm {

uint64_t Heap::IdOf(const Object* object) {
  const char* const at = reinterpret_cast<const char*>(object);
  if (last_place_.Has(at)) return last_place_.base + static_cast<uint64_t>(at - last_place_.memory);
  if (image_.Has(at)) return static_cast<uint64_t>(at - image_.memory);
  if (object->size_class == kLargeClass)
    return (reinterpret_cast<const Large*>(object) - 1)->base + sizeof(Large);
  const auto before = [](const char* a, const Place& b) { return a < b.memory; };
  for (; placed_ < chunks_.size(); ++placed_) {
    const Chunk& chunk = chunks_[placed_];
    if (!chunk.objects) continue;
    const auto next = std::upper_bound(places_.begin(), places_.end(), chunk.memory, before);
    places_.insert(next, {chunk.memory, chunk.size, chunk.base});
  }
  last_place_ = *(std::upper_bound(places_.begin(), places_.end(), at, before) - 1);
  return last_place_.base + static_cast<uint64_t>(at - last_place_.memory);
}

}  // namespace ferry::vm
