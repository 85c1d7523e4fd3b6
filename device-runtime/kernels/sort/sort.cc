#include "device-runtime/kernels/sort/sort.h"

#include <algorithm>

#include "device-runtime/kernels/numbers.h"
#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

template <typename T>
struct Entry {
  T value;
  int64_t index;
};

// A total order, so that what comes out does not depend on how it is sorted.
template <typename T, bool kLargest>
struct Before {
  bool operator()(const Entry<T>& a, const Entry<T>& b) const {
    const int order = Order(a.value, b.value);
    if (order == 0) return a.index < b.index;
    return kLargest ? order > 0 : order < 0;
  }
};

template <typename T, bool kLargest>
void Line(const SortShape& s, const T* x, T* values, int64_t* indices, Entry<T>* room) {
  const Before<T, kLargest> before;
  for (int64_t i = 0; i < s.size; ++i) room[i] = {x[i * s.inner], i};
  // All are sorted at once when most are wanted; else the wanted ones are found first.
  if (s.count < s.size) std::nth_element(room, room + s.count, room + s.size, before);
  std::sort(room, room + s.count, before);
  for (int64_t i = 0; i < s.count; ++i) {
    values[i * s.inner] = room[i].value;
    indices[i * s.inner] = room[i].index;
  }
}

int64_t PiecesOf(const SortShape& s) {
  return std::clamp<int64_t>(s.outer * s.inner, 1, kSortPieces);
}

}  // namespace

int64_t SortRoom(tensor::DType dtype, const SortShape& shape) {
  int64_t bytes = 0;
  WithNumber(dtype, [&](auto zero) {
    bytes = static_cast<int64_t>(sizeof(Entry<decltype(zero)>)) * shape.size;
  });
  return bytes * PiecesOf(shape);
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
        auto* mine = static_cast<Entry<T>*>(room) + piece * s.size;
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
