// What a collection gives back: dead objects to their chunks, whole chunks to the other size
// classes, and what lies idle to the machine.
#include <algorithm>
#include <cstring>

#include "common/base/memory.h"
#include "device-runtime/vm/exec/heap/heap.h"

namespace ferry::vm {

// The newest chunk of a size class is used only up to here.
char* Heap::UsedEnd(const Chunk& chunk) const {
  const Blocks& blocks = (chunk.objects ? objects_ : buffers_)[chunk.size_class];
  const size_t block = chunk.size_class * kGranule;
  char* end = chunk.memory + chunk.size / block * block;
  return end == blocks.end ? blocks.fresh : end;
}

// A chunk that nothing lies in and no list names.
void Heap::GiveBack(const Chunk& chunk) {
  Blocks& blocks = (chunk.objects ? objects_ : buffers_)[chunk.size_class];
  const size_t block = chunk.size_class * kGranule;
  // `end` stays set: the class has had its first, small chunk.
  if (chunk.memory + chunk.size / block * block == blocks.end) blocks.fresh = blocks.end;
  if (chunk.size != kChunkBytes) {
    Return(chunk.memory, chunk.size);
    return;
  }
  auto* spare = reinterpret_cast<FreeBlock*>(chunk.memory);
  spare->next = spare_;
  spare_ = spare;
  spare_bytes_ += static_cast<int64_t>(kChunkBytes);
}

void Heap::DropSpare(int64_t keep) {
  while (spare_ != nullptr && spare_bytes_ > keep) {
    FreeBlock* spare = spare_;
    spare_ = spare->next;
    spare_bytes_ -= static_cast<int64_t>(kChunkBytes);
    Return(spare, kChunkBytes);
  }
}

// Whether Finalize has nothing to do for the object.
static bool OwnsNothing(const Object* object) {
  if (object->derived != 0) return false;
  switch (object->type) {
    case Type::kInstance: {
      const auto* instance = Cast<Instance>(object);
      return instance->slots == instance->inline_slots;
    }
    case Type::kFunction: {
      auto* function = const_cast<Function*>(Cast<Function>(object));
      return function->cells == nullptr || function->cells == function->inline_cells();
    }
    case Type::kException: {
      const auto* exception = Cast<Exception>(object);
      return exception->trace.buffer == nullptr && exception->slots == nullptr;
    }
    case Type::kString:
    case Type::kBytes:
    case Type::kTuple:
    case Type::kSlice:
    case Type::kBoundMethod:
    case Type::kCell:
    case Type::kIterator:
    case Type::kSuper:
    case Type::kComplex:
    case Type::kBigInt:
      return true;
    default:
      return false;
  }
}

// Frees the dead objects of the chunk; false: it is empty and given back.
bool Heap::SweepChunk(const Chunk& chunk) {
  const size_t block = chunk.size_class * kGranule;
  char* const end = UsedEnd(chunk);
  FreeBlock* const before = objects_[chunk.size_class].free;
  FreeBlock* list = before;
  size_t live = 0, dead = 0;
  for (char* at = end; at > chunk.memory;) {  // so that the list goes upwards
    at -= block;
    auto* object = reinterpret_cast<Object*>(at);
    if (object->type != Type::kFree) {
      if (object->marked) {
        object->marked = false;
        ++live;
        continue;
      }
      uint16_t kind;  // with `derived`: most are plain strings, lists and tuples
      std::memcpy(&kind, object, sizeof kind);
      if (kind == static_cast<uint16_t>(Type::kString) ||
          kind == static_cast<uint16_t>(Type::kTuple)) {
        // They own nothing.
      } else if (kind == static_cast<uint16_t>(Type::kList)) {
        auto* dying = Cast<List>(object);
        FreeBuffer(dying->items, dying->capacity * sizeof(Value));
      } else if (!OwnsNothing(object)) {
        Finalize(object);
      }
      if (collect_always_) [[unlikely]]
        std::memset(static_cast<void*>(object), 0xDD, block);
      if constexpr (kVmChecks) FillWords(object, block, kFreedWord);
      ++dead;
    }
    auto* free = reinterpret_cast<FreeBlock*>(at);
    free->header.type = Type::kFree;
    free->next = list;
    list = free;
  }
  used_ -= static_cast<int64_t>(dead * block);
  if (live == 0) {
    GiveBack(chunk);
    return false;
  }
  objects_[chunk.size_class].free = list;
  return true;
}

void Heap::SweepLarge() {
  for (Large** link = &large_; *link != nullptr;) {
    Large* large = *link;
    if (large->object()->marked) {
      large->object()->marked = false;
      link = &large->next;
      continue;
    }
    *link = large->next;
    checks_.RemoveLarge(large->object());
    Finalize(large->object());
    used_ -= static_cast<int64_t>(large->size);
    Return(large, large->size);
  }
}

// Small heaps grow by more than what lives: that much is worth fewer looks at it.
static constexpr int64_t kGrowth = 8 << 20;

void Heap::Sweep() {
  places_.clear();  // chunks may go
  placed_ = 0;
  last_place_ = {};
  for (Blocks& blocks : objects_) blocks.free = nullptr;
  std::erase_if(chunks_,
                [this](const Chunk& chunk) { return chunk.objects && !SweepChunk(chunk); });
  checks_.ChunksChanged();
  SweepLarge();
  DropSpare(std::max(used_ / 2, kFirstCollection));
  // Grow by what lives, and keep some room below the limit; near the limit a collection must still
  // be worth its time.
  const int64_t room = std::max<int64_t>((limit_ - taken_ + spare_bytes_) / 2, limit_ / 64);
  const int64_t growth = std::max({used_, std::min(4 * used_, kGrowth), kFirstCollection});
  threshold_ = collect_always_ ? 0 : used_ + std::min(growth, room);
  if constexpr (kVmChecks) CheckCounts();
}

void Heap::DeadGenerators(const std::function<void(Generator*)>& visit) {
  for (const Chunk& chunk : chunks_) {
    if (!chunk.objects || chunk.size_class < ClassOfSize(sizeof(Generator))) continue;
    char* const end = UsedEnd(chunk);
    for (char* at = chunk.memory; at < end; at += chunk.size_class * kGranule) {
      auto* object = reinterpret_cast<Object*>(at);
      if (object->type == Type::kGenerator && !object->marked) visit(Cast<Generator>(object));
    }
  }
}

Heap::~Heap() {
  if (region_ != nullptr) return;
  Sweep();  // nothing is marked: all objects are finalized
  DropSpare(0);
  for (const Chunk& chunk : chunks_) Deallocate(chunk.memory);
}

}  // namespace ferry::vm
