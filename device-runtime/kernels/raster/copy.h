// The loops of a region copy on one thread. Private to raster.
#pragma once

#include <cstring>

#include "device-runtime/kernels/raster/transpose.h"

namespace ferry::kernels {

// Calls body(from, to) for every index of the axes in [0, rank) that are not `skip` nor `skip_2`.
template <typename Body>
void ForOuter(const Region& r, int skip, int skip_2, const Body& body) {
  int axes[kMaxRegionRank];
  int count = 0;
  for (int i = 0; i < r.rank; ++i) {
    if (i != skip && i != skip_2) axes[count++] = i;
  }
  int64_t index[kMaxRegionRank] = {};
  int64_t from = r.from;
  int64_t to = r.to;
  for (;;) {
    body(from, to);
    int k = count - 1;
    for (; k >= 0; --k) {
      const int i = axes[k];
      from += r.from_stride[i];
      to += r.to_stride[i];
      if (++index[k] < r.size[i]) break;
      from -= r.from_stride[i] * r.size[i];
      to -= r.to_stride[i] * r.size[i];
      index[k] = 0;
    }
    if (k < 0) return;
  }
}

// The axis other than the innermost along which the source is contiguous, or -1.
inline int ContiguousSourceAxis(const Region& r) {
  for (int i = 0; i + 1 < r.rank; ++i) {
    if (r.from_stride[i] == 1) return i;
  }
  return -1;
}

// Elements one by one. Everything by value: a store of bytes may lie over whatever is behind a
// pointer, and would make the loop read it again.
template <typename T>
void CopyStrided(int64_t count, const T* from, int64_t from_step, T* to, int64_t to_step) {
  int64_t i = 0;
  for (; i + 4 <= count; i += 4, from += 4 * from_step, to += 4 * to_step) {
    const T a = from[0], b = from[from_step], c = from[2 * from_step], d = from[3 * from_step];
    to[0] = a;
    to[to_step] = b;
    to[2 * to_step] = c;
    to[3 * to_step] = d;
  }
  for (; i < count; ++i, from += from_step, to += to_step) *to = *from;
}

// The few channels of an image, planes to pixels.
template <typename T, int kChannels>
void InterleaveFew(int64_t count, const T* from, int64_t from_step, T* to, int64_t to_step) {
  for (int64_t i = 0; i < count; ++i, ++from, to += to_step) {
    for (int c = 0; c < kChannels; ++c) to[c] = from[c * from_step];
  }
}

template <typename T>
void CopySerial(const Region& r, const void* source, void* destination) {
  const T* from = static_cast<const T*>(source);
  T* to = static_cast<T*>(destination);
  if (r.rank == 0) {
    to[r.to] = from[r.from];
    return;
  }
  const int inner = r.rank - 1;
  const int64_t size = r.size[inner];
  const int64_t from_step = r.from_stride[inner];
  const int64_t to_step = r.to_stride[inner];
  if (from_step == 1 && to_step == 1) {
    ForOuter(r, inner, inner, [&](int64_t f, int64_t t) {
      std::memcpy(to + t, from + f, static_cast<size_t>(size) * sizeof(T));
    });
    return;
  }
  const int across = to_step == 1 ? ContiguousSourceAxis(r) : -1;
  if (across >= 0 && size >= 4) {
    ForOuter(r, inner, across, [&](int64_t f, int64_t t) {
      Transpose(r.size[across], size, from + f, from_step, to + t, r.to_stride[across]);
    });
    return;
  }
  if (across >= 0 && size >= 2) {
    const auto interleave = size == 2 ? InterleaveFew<T, 2> : InterleaveFew<T, 3>;
    ForOuter(r, inner, across, [&](int64_t f, int64_t t) {
      if (size == 3 && r.to_stride[across] == 3) {
        return InterleaveThree(r.size[across], from + f, from_step, to + t);
      }
      interleave(r.size[across], from + f, from_step, to + t, r.to_stride[across]);
    });
    return;
  }
  ForOuter(r, inner, inner,
           [&](int64_t f, int64_t t) { CopyStrided(size, from + f, from_step, to + t, to_step); });
}

}  // namespace ferry::kernels
