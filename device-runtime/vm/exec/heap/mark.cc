// What a collection keeps: everything that can be reached from what was marked.
#include <algorithm>
#include <cstring>

#include "common/base/memory.h"
#include "device-runtime/vm/exec/heap/heap.h"

namespace ferry::vm {

template <typename Visit>
void Heap::EachObject(Visit visit) {
  for (const Chunk& chunk : chunks_) {
    if (!chunk.objects) continue;
    char* const end = UsedEnd(chunk);
    for (char* at = chunk.memory; at < end; at += chunk.size_class * kGranule) {
      auto* object = reinterpret_cast<Object*>(at);
      if (object->type != Type::kFree) visit(object);
    }
  }
  for (Large* large = large_; large != nullptr; large = large->next) visit(large->object());
}

void Heap::MarkAll() {
  EachObject([](Object* object) { object->marked = true; });
}

void Heap::Push(Object* object) {
  if (grey_count_ == grey_capacity_) {
    if (grey_ == few_grey_) {
      auto* more = static_cast<Object**>(TryAllocate(kMaxGrey * sizeof(Object*)));
      if (more != nullptr) {
        std::memcpy(more, few_grey_, sizeof few_grey_);
        grey_ = more;
        grey_capacity_ = kMaxGrey;
      }
    }
    if (grey_count_ == grey_capacity_) {
      overflow_ = true;
      return;
    }
  }
  grey_[grey_count_++] = object;
}

void Heap::Mark(Object* object) {
  if constexpr (kVmChecks) CheckMark(object);
  if (object == nullptr || object->marked) return;
  object->marked = true;
  // Those refer to nothing, but for strings that share a buffer.
  if (object->type <= Type::kBigInt && object->derived == 0 &&
      (object->type != Type::kString || !Cast<String>(object)->Has(StringFlag::kShared)))
    return;
  if (grey_ == nullptr) {
    grey_ = few_grey_;
    grey_capacity_ = std::size(few_grey_);
  }
  Push(object);
}

void Heap::Rescan() {
  overflow_ = false;
  EachObject([this](Object* object) {
    if (!object->marked) return;
    Trace(object);
    while (grey_count_ > 0) Trace(grey_[--grey_count_]);
  });
}

// What an object keeps in a block of its own, ahead of Trace.
static void FetchBlock(const Object* object) {
  switch (object->type) {
    case Type::kList:
      __builtin_prefetch(Cast<List>(object)->items);
      break;
    case Type::kDict:
    case Type::kSet:
      __builtin_prefetch(Cast<Dict>(object)->entries);
      break;
    default:
      break;
  }
}

namespace {

// The values of a long list, tuple or dict that are not marked yet: all at once they would be too
// many to wait for Trace.
struct Rest {
  static constexpr size_t kLong = 4096, kPiece = 1024;
  const Value* at;
  size_t left;
  size_t step;  // words from one to the next
};

bool IsLong(const Object* object, Rest* rest) {
  if (object->derived != 0) return false;
  if (object->type == Type::kList) {
    const auto* list = Cast<List>(object);
    *rest = {list->items, list->size, 1};
  } else if (object->type == Type::kTuple) {
    const auto* tuple = Cast<Tuple>(object);
    *rest = {tuple->items, tuple->size, 1};
  } else if (object->type == Type::kDict || object->type == Type::kSet) {
    const auto* dict = Cast<Dict>(object);
    *rest = {dict->used == 0 ? nullptr : &dict->entries->key, dict->used, sizeof(Entry) / 8};
  } else {
    return false;
  }
  return rest->left > Rest::kLong;
}

}  // namespace

void Heap::Drain() {
  // Objects wait in a ring on the way from the stack to Trace, while the machine fetches them.
  constexpr size_t kRing = 8, kRests = 32;
  Object* ring[kRing] = {};
  Rest rests[kRests];
  size_t rest_count = 0;
  for (size_t at = 0, idle = 0; idle < kRing || rest_count > 0; at = (at + 1) % kRing) {
    Object* const object = ring[at];
    Object* const half = ring[(at + kRing / 2) % kRing];
    if (half != nullptr) FetchBlock(half);
    if (object != nullptr) {
      if (rest_count < kRests && IsLong(object, &rests[rest_count])) {
        ++rest_count;
      } else {
        Trace(object);
      }
    }
    if (grey_count_ == 0 && rest_count > 0) {
      Rest& rest = rests[rest_count - 1];
      const size_t count = std::min(rest.left, Rest::kPiece);
      for (size_t i = 0; i < count; ++i, rest.at += rest.step) {
        if (i + kRing < count) __builtin_prefetch(rest.at[kRing * rest.step].object());
        Mark(rest.at[0]);
        if (rest.step > 1) Mark(rest.at[1]);
      }
      rest.left -= count;
      if (rest.left == 0) --rest_count;
    }
    ring[at] = grey_count_ > 0 ? grey_[--grey_count_] : nullptr;
    if (ring[at] != nullptr) __builtin_prefetch(ring[at]);
    idle = ring[at] == nullptr ? idle + 1 : 0;
  }
  while (overflow_) Rescan();
  if (grey_ != few_grey_) Deallocate(grey_);
  grey_ = nullptr;
  grey_capacity_ = 0;
}

}  // namespace ferry::vm
