// Moving elements of a map's inputs to registers. Private to map.
#pragma once

#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/map/map.h"

namespace ferry::kernels {

// n times the same element: by lines, which compilers turn into vectors, as they do not a loop.
template <typename T>
void FillRun(T value, int64_t n, T* to) {
  constexpr int64_t kLine = 64 / sizeof(T);
  T line[kLine];
  for (T& element : line) element = value;
  for (; n >= kLine; n -= kLine, to += kLine) std::memcpy(to, line, sizeof line);
  std::memcpy(to, line, static_cast<size_t>(n) * sizeof(T));
}

template <typename T>
void CopyRun(const uint8_t* from, int64_t stride, int64_t n, uint8_t* to) {
  const T* source = reinterpret_cast<const T*>(from);
  T* target = reinterpret_cast<T*>(to);
  if (stride == 0) return FillRun(*source, n, target);
  for (int64_t i = 0; i < n; ++i) target[i] = source[i * stride];
}

// n elements of `width` bytes that lie `stride` apart, side by side in `to`.
inline void CopyStrided(size_t width, const uint8_t* from, int64_t stride, int64_t n, uint8_t* to) {
  if (stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(n) * width);
  } else if (width == 1) {
    CopyRun<uint8_t>(from, stride, n, to);
  } else if (width == 2) {
    CopyRun<uint16_t>(from, stride, n, to);
  } else if (width == 4) {
    CopyRun<uint32_t>(from, stride, n, to);
  } else {
    CopyRun<uint64_t>(from, stride, n, to);
  }
}

// Elements [begin, begin + n) of an input, in the order of the map, side by
// side in `to`.
inline void Collect(const MapProgram& p, const MapInput& in, const uint8_t* base, int64_t begin,
                    int64_t n, uint8_t* to) {
  const size_t width = tensor::DTypeSize(in.dtype);
  tensor::Strides at{};
  int64_t offset = 0;
  for (int axis = p.rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<size_t>(axis);
    at[a] = begin % p.size[a];
    begin /= p.size[a];
    offset += at[a] * in.strides[a];
  }
  const auto last = static_cast<size_t>(p.rank - 1);
  while (n > 0) {
    const int64_t run = std::min(n, p.size[last] - at[last]);
    const int64_t byte = offset * static_cast<int64_t>(width);
    CopyStrided(width, base + byte, in.strides[last], run, to);
    to += static_cast<size_t>(run) * width;
    n -= run;
    at[last] += run;
    offset += run * in.strides[last];
    for (size_t a = last; a > 0 && at[a] == p.size[a]; --a) {
      offset += in.strides[a - 1] - at[a] * in.strides[a];
      at[a] = 0;
      ++at[a - 1];
    }
  }
}

}  // namespace ferry::kernels
