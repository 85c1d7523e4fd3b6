#include "device-runtime/kernels/sort/sort.h"

#include <algorithm>
#include <bit>

#include "device-runtime/kernels/numbers.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

// An element as what it sorts by.
struct Entry {
  uint64_t key;
  int64_t index;
};

// Numbers of one type in the order of these: NaN equals itself and is the greatest.
template <typename T>
uint64_t KeyOf(T x) {
  constexpr uint64_t kSign = uint64_t{1} << 63;
  if constexpr (std::is_floating_point_v<T>) {
    if (IsNan(x)) return ~uint64_t{0};
    const auto bits = std::bit_cast<uint64_t>(static_cast<double>(x) + 0.0);  // -0 is 0
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<uint64_t>(int64_t{x}) ^ kSign;
  } else {
    return x;
  }
}

// A total order, so that what comes out does not depend on how it is sorted.
bool Before(const Entry& a, const Entry& b) {
  return a.key != b.key ? a.key < b.key : a.index < b.index;
}

// The first `count` of `size` to the front.
void Part(Entry* room, int64_t count, int64_t size) {
  if (count < size) std::nth_element(room, room + count - 1, room + size, Before);
}

template <typename T, bool kLargest>
Entry EntryOf(T x, int64_t index) {
  return {KeyOf(x) ^ (kLargest ? ~uint64_t{0} : 0), index};
}

// The wanted elements to the front of `room`, with room for twice as many: what does not come
// before the last of those kept is passed over.
template <typename T, bool kLargest>
void FindFew(const SortShape& s, const T* x, Entry* room) {
  int64_t kept = 0;
  for (; kept < s.count; ++kept) room[kept] = EntryOf<T, kLargest>(x[kept * s.inner], kept);
  Entry last = *std::max_element(room, room + s.count, Before);
  T limit = x[last.index * s.inner];
  for (int64_t i = s.count; i < s.size; ++i) {
    const T value = x[i * s.inner];
    // Of equal ones the first stays. NaN goes on to the whole comparison.
    if (kLargest ? value <= limit : value >= limit) continue;
    const Entry entry = EntryOf<T, kLargest>(value, i);
    if (!Before(entry, last)) continue;
    room[kept++] = entry;
    if (kept < 2 * s.count) continue;
    Part(room, s.count, kept);
    kept = s.count;
    last = room[kept - 1];
    limit = x[last.index * s.inner];
  }
  Part(room, s.count, kept);
}

void SortAll(Entry* room, int64_t count) {
  std::sort(room, room + count, Before);
}

template <typename T, bool kLargest>
void Line(const SortShape& s, const T* x, T* values, int64_t* indices, Entry* room) {
  if (2 * s.count <= s.size) {
    FindFew<T, kLargest>(s, x, room);
  } else {
    for (int64_t i = 0; i < s.size; ++i) room[i] = EntryOf<T, kLargest>(x[i * s.inner], i);
    Part(room, s.count, s.size);
  }
  SortAll(room, s.count);
  for (int64_t i = 0; i < s.count; ++i) {
    values[i * s.inner] = x[room[i].index * s.inner];
    indices[i * s.inner] = room[i].index;
  }
}

int64_t PiecesOf(const SortShape& s) {
  return std::clamp<int64_t>(s.outer * s.inner, 1, kSortPieces);
}

}  // namespace

int64_t SortRoom(tensor::DType dtype, const SortShape& shape) {
  if (!WithNumber(dtype, [](auto) {})) return 0;
  return static_cast<int64_t>(sizeof(Entry)) * shape.size * PiecesOf(shape);
}

bool Sort(sys::Parallel& parallel, tensor::DType dtype, const SortShape& s, const void* x,
          void* values, int64_t* indices, void* room) {
  const int64_t lines = s.outer * s.inner;
  const int64_t pieces = PiecesOf(s);
  return WithNumber(dtype, [&](auto zero) {
    using T = decltype(zero);
    if (s.count == 0) return;  // lines of nothing may be without number
    // A piece has its own part of the room.
    ForPieces(parallel, pieces, lines * s.size * 4 / pieces, [&](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece) {
        auto* mine = static_cast<Entry*>(room) + piece * s.size;
        for (int64_t line = lines * piece / pieces; line < lines * (piece + 1) / pieces; ++line) {
          const int64_t outer = line / s.inner, inner = line % s.inner;
          const T* from = static_cast<const T*>(x) + outer * s.size * s.inner + inner;
          const int64_t to = outer * s.count * s.inner + inner;
          T* out = static_cast<T*>(values) + to;
          if (s.largest) {
            Line<T, true>(s, from, out, indices + to, mine);
          } else {
            Line<T, false>(s, from, out, indices + to, mine);
          }
        }
      }
    });
  });
}

}  // namespace ferry::kernels
