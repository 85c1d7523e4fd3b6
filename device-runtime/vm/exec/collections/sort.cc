// Stable sort: runs that are in order already, short ones completed by binary insertion, merged in
// the order of powersort. Source: CPython's way with short lists, whose comparisons scripts see;
// Munro and Wild, "Nearly-Optimal Mergesorts" (2018).
#include "device-runtime/vm/exec/collections/sort.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "device-runtime/vm/exec/loop/quick.h"

namespace ferry::vm {
namespace {

// What is sorted: a key that orders most pairs without a look at the object, and where its item
// lies.
struct Element {
  uint64_t rank;
  uint32_t index;
};

// How two elements compare.
enum class Kind : uint8_t {
  kInt,     // rank: the small integer
  kFloat,   // rank: the double
  kString,  // rank: the first eight bytes
  kTuple,   // rank: that of the first item, if it is one of these
  kAny,
};

struct Sorter {
  Vm& vm;
  const Value* keys;
  Kind kind;
  Kind first = Kind::kAny;  // of the first items of tuples
  bool failed = false;

  bool ByValue(const Element& a, const Element& b) {
    bool less = false;
    if (!failed && !vm.Less(keys[a.index], keys[b.index], &less)) failed = true;
    return less;
  }
};

inline uint64_t RankOfText(std::string_view text) {
  unsigned char bytes[8] = {};
  std::memcpy(bytes, text.data(), std::min<size_t>(text.size(), sizeof bytes));
  uint64_t rank;
  std::memcpy(&rank, bytes, sizeof rank);
  return __builtin_bswap64(rank);
}

Kind KindOf(Value v) {
  if (v.IsSmallInt()) return Kind::kInt;
  if (v.IsFloat()) return v.AsFloat() == v.AsFloat() ? Kind::kFloat : Kind::kAny;
  return IsExactString(v) ? Kind::kString : Kind::kAny;
}

inline uint64_t Rank(Kind kind, Value v) {
  switch (kind) {
    case Kind::kInt:  // with its sign bit turned, so that ranks compare as unsigned numbers
      return static_cast<uint64_t>(v.ShiftedInt()) ^ (uint64_t{1} << 63);
    case Kind::kFloat: {
      const auto bits = std::bit_cast<uint64_t>(v.AsFloat() + 0.0);  // -0.0 is 0.0
      return (bits >> 63) != 0 ? ~bits : bits | (uint64_t{1} << 63);
    }
    case Kind::kString:
      return RankOfText(Text(v));
    default:
      return 0;
  }
}

Value FirstOf(Value tuple) {
  return As<Tuple>(tuple)->items[0];
}

// What all keys have in common.
void FindKind(Sorter* sorter, uint32_t count) {
  const Value* keys = sorter->keys;
  sorter->kind = KindOf(keys[0]);
  if (sorter->kind != Kind::kAny) {
    for (uint32_t i = 1; i < count; ++i)
      if (KindOf(keys[i]) != sorter->kind) sorter->kind = Kind::kAny;
    return;
  }
  const auto filled = [](Value v) { return IsExact(v, Type::kTuple) && As<Tuple>(v)->size > 0; };
  if (!filled(keys[0])) return;
  const Kind first = KindOf(FirstOf(keys[0]));
  if (first == Kind::kAny) return;
  for (uint32_t i = 1; i < count; ++i)
    if (!filled(keys[i]) || KindOf(FirstOf(keys[i])) != first) return;
  sorter->kind = Kind::kTuple;
  sorter->first = first;
}

template <typename Less>
class Merger {
 public:
  Merger(Sorter& sorter, Less less, Element* items, Element* spare, uint32_t count)
      : sorter_(sorter), less_(less), items_(items), spare_(spare), count_(count) {}

  bool Sort() {
    uint32_t least = count_, odd = 0;
    for (; least >= 64; least >>= 1) odd |= least & 1;
    least += odd;
    for (uint32_t low = 0; low < count_;) {
      uint32_t size = Run(low);
      if (size < least) {
        const uint32_t whole = std::min(least, count_ - low);
        Insert(low, low + size, low + whole);
        size = whole;
      }
      if (!Push(low, size)) return false;
      low += size;
    }
    while (depth_ > 1)
      if (!MergeTop()) return false;
    return !sorter_.failed;
  }

 private:
  struct Pending {
    uint32_t low, size;
    int power;
  };

  // The length of the run at `low`; one that falls is turned round.
  uint32_t Run(uint32_t low) {
    uint32_t at = low + 1;
    if (at == count_) return 1;
    if (!less_(items_[at], items_[at - 1])) {
      while (++at < count_ && !less_(items_[at], items_[at - 1])) {
      }
    } else {
      while (++at < count_ && less_(items_[at], items_[at - 1])) {
      }
      std::reverse(items_ + low, items_ + at);
    }
    return at - low;
  }

  // Puts [middle, high) into their places among [low, middle), which is in order.
  void Insert(uint32_t low, uint32_t middle, uint32_t high) {
    for (uint32_t next = middle; next < high; ++next) {
      const Element pivot = items_[next];
      uint32_t left = low, right = next;
      while (left < right) {
        const uint32_t at = left + (right - left) / 2;
        if (less_(pivot, items_[at])) {
          right = at;
        } else {
          left = at + 1;
        }
      }
      std::memmove(static_cast<void*>(items_ + left + 1), items_ + left,
                   (next - left) * sizeof(Element));
      items_[left] = pivot;
    }
  }

  // How deep in a balanced tree of merges the border between two neighbours lies.
  int Power(uint32_t low, uint32_t first, uint32_t second) const {
    uint64_t a = 2 * uint64_t{low} + first, b = a + first + second;
    for (int power = 1;; ++power) {
      if (a >= count_) {
        a -= count_;
        b -= count_;
      } else if (b >= count_) {
        return power;
      }
      a <<= 1;
      b <<= 1;
    }
  }

  bool Push(uint32_t low, uint32_t size) {
    if (!sorter_.vm.ChargeSteps(size) || sorter_.failed) return false;
    if (depth_ > 0) {
      const Pending& last = pending_[depth_ - 1];
      const int power = Power(last.low, last.size, size);
      while (depth_ > 1 && pending_[depth_ - 2].power > power)
        if (!MergeTop()) return false;
      pending_[depth_ - 1].power = power;
    }
    pending_[depth_++] = {low, size, 0};
    return true;
  }

  bool MergeTop() {
    Pending& a = pending_[depth_ - 2];
    const Pending& b = pending_[depth_ - 1];
    if (!sorter_.vm.ChargeSteps((a.size + b.size) / 2)) return false;
    Merge(a.low, b.low, b.low + b.size);
    a.size += b.size;
    --depth_;
    return !sorter_.failed;
  }

  void Merge(uint32_t low, uint32_t middle, uint32_t high) {
    // What stays where it is: the beginning of the left, the end of the right.
    if (!less_(items_[middle], items_[middle - 1])) return;
    const auto end = items_ + middle;
    low =
        static_cast<uint32_t>(std::upper_bound(items_ + low, end, items_[middle], less_) - items_);
    high = static_cast<uint32_t>(std::lower_bound(end, items_ + high, items_[middle - 1], less_) -
                                 items_);
    if (middle - low <= high - middle) {
      MergeLow(low, middle, high);
    } else {
      MergeHigh(low, middle, high);
    }
  }
  void MergeLow(uint32_t low, uint32_t middle, uint32_t high) {
    const uint32_t size = middle - low;
    std::memcpy(static_cast<void*>(spare_), items_ + low, size * sizeof(Element));
    Element *a = spare_, *const a_end = spare_ + size, *b = items_ + middle, *to = items_ + low;
    Element* const b_end = items_ + high;
    while (a < a_end && b < b_end) {
      const bool right = less_(*b, *a);
      *to++ = right ? *b : *a;
      b += right;
      a += !right;
    }
    std::memcpy(static_cast<void*>(to), a, static_cast<size_t>(a_end - a) * sizeof(Element));
  }
  void MergeHigh(uint32_t low, uint32_t middle, uint32_t high) {
    const uint32_t size = high - middle;
    std::memcpy(static_cast<void*>(spare_), items_ + middle, size * sizeof(Element));
    Element *a = items_ + middle, *b = spare_ + size, *to = items_ + high;
    while (a > items_ + low && b > spare_) {
      const bool left = less_(b[-1], a[-1]);
      *--to = left ? a[-1] : b[-1];
      a -= left;
      b -= !left;
    }
    const auto rest = static_cast<size_t>(b - spare_);
    std::memcpy(static_cast<void*>(to - rest), spare_, rest * sizeof(Element));
  }

  Sorter& sorter_;
  Less less_;
  Element *items_, *spare_;
  const uint32_t count_;
  Pending pending_[70];
  uint32_t depth_ = 0;
};

template <typename Less>
bool SortBy(Sorter& sorter, Less less, Element* items, Element* spare, uint32_t count) {
  return Merger<Less>(sorter, less, items, spare, count).Sort();
}

bool SortElements(Sorter& sorter, Element* items, Element* spare, uint32_t count) {
  switch (sorter.kind) {
    case Kind::kInt:
    case Kind::kFloat:
      return SortBy(
          sorter, [](const Element& a, const Element& b) { return a.rank < b.rank; }, items, spare,
          count);
    case Kind::kString:
    case Kind::kTuple:
      return SortBy(
          sorter,
          [&sorter](const Element& a, const Element& b) {
            return a.rank != b.rank ? a.rank < b.rank : sorter.ByValue(a, b);
          },
          items, spare, count);
    default:
      return SortBy(
          sorter, [&sorter](const Element& a, const Element& b) { return sorter.ByValue(a, b); },
          items, spare, count);
  }
}

// Room for the elements of a sort: here when they are few, else a buffer of the heap.
class Room {
 public:
  Room(Vm& vm, size_t count) : vm_(vm), bytes_(count * sizeof(Element)) {
    items_ = count <= kFew ? few_ : static_cast<Element*>(vm.heap.NewBuffer(bytes_));
    if (items_ == nullptr) vm.OutOfMemory();
  }
  ~Room() {
    if (items_ != few_) vm_.heap.FreeBuffer(items_, bytes_);
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  Element* items() { return items_; }

 private:
  static constexpr size_t kFew = 64;
  Vm& vm_;
  const size_t bytes_;
  Element few_[kFew];
  Element* items_;
};

// Sorts `items` by `keys`, both of lists that no script knows.
bool SortItems(Vm& vm, Value* items, const Value* keys, uint32_t count, bool reverse) {
  Sorter sorter{vm, keys, Kind::kAny};
  FindKind(&sorter, count);
  Room room(vm, size_t{count} + count / 2 + 1);
  Element* const elements = room.items();
  if (elements == nullptr) return false;
  const bool tuples = sorter.kind == Kind::kTuple;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = reverse ? count - 1 - i : i;  // equal ones keep their order
    elements[i] = {tuples ? Rank(sorter.first, FirstOf(keys[at])) : Rank(sorter.kind, keys[at]),
                   at};
  }
  if (!SortElements(sorter, elements, elements + count, count)) return false;
  // The items in their order: each takes the place of an element that is no longer needed.
  for (uint32_t i = 0; i < count; ++i) elements[i].rank = items[elements[i].index].bits();
  for (uint32_t i = 0; i < count; ++i)
    items[reverse ? count - 1 - i : i] = std::bit_cast<Value>(elements[i].rank);
  return true;
}

}  // namespace

bool SortReverse(Vm& vm, Value v, bool* reverse) {
  int64_t i;
  if (!vm.ToIndex(v, &i, "integer", true)) return false;
  *reverse = i != 0;
  return true;
}

bool SortList(Vm& vm, List* list, Value key, bool reverse) {
  Roots roots(vm);
  roots.Add(Value::Of(list));
  // The list is empty while scripts run: its items lie here.
  const Value held = roots.Add(vm.NewList(nullptr, 0));
  if (held.empty()) return false;
  auto* items = As<List>(held);
  const auto swap = [&] {
    std::swap(items->items, list->items);
    std::swap(items->size, list->size);
    std::swap(items->capacity, list->capacity);
  };
  swap();
  const uint32_t count = items->size;
  Value keys = held;
  bool ok = true;
  if (!key.empty()) {
    keys = roots.Add(vm.NewList(nullptr, 0));
    ok = !keys.empty() && vm.Reserve(As<List>(keys), count);
    for (uint32_t i = 0; ok && i < count; ++i) {
      const Value made = vm.Call(key, &items->items[i], 1);
      ok = !made.empty() && vm.Append(As<List>(keys), made);
    }
  }
  ok = ok && (count < 2 || SortItems(vm, items->items, As<List>(keys)->items, count, reverse));
  const bool changed = list->items != nullptr;
  swap();
  if (ok && changed) {
    vm.Raise(Error::kValueError, "list modified during sort");
    return false;
  }
  return ok;
}

}  // namespace ferry::vm
