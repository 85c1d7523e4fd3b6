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
  if (across >= 0 && size >= 2) {  // the few channels of an image
    ForOuter(r, inner, across, [&](int64_t f, int64_t t) {
      const T* x = from + f;
      T* y = to + t;
      const int64_t count = r.size[across], stride = r.to_stride[across];
      for (int64_t i = 0; i < count; ++i, ++x, y += stride) {
        y[0] = x[0];
        y[1] = x[from_step];
        if (size == 3) y[2] = x[2 * from_step];
      }
    });
    return;
  }
  ForOuter(r, inner, inner, [&](int64_t f, int64_t t) {
    for (int64_t i = 0; i < size; ++i) to[t + i * to_step] = from[f + i * from_step];
  });
}

}  // namespace ferry::kernels
