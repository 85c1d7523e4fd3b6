// A 2-D transpose by small blocks. Private to raster.
#pragma once

#include <cstdint>
#include <cstring>

#include "device-runtime/kernels/raster/raster.h"

namespace ferry::kernels {

template <typename T>
void TransposeEdge(int64_t rows, int64_t columns, const T* from, int64_t from_stride, T* to,
                   int64_t to_stride) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) to[i * to_stride + j] = from[j * from_stride + i];
  }
}

// One 4 x 4 block.
template <typename T>
void TransposeBlock(const T* from, int64_t from_stride, T* to, int64_t to_stride) {
  TransposeEdge<T>(4, 4, from, from_stride, to, to_stride);
}

// Portable vectors of the compiler: two rounds of interleaving.
template <>
inline void TransposeBlock<uint32_t>(const uint32_t* from, int64_t from_stride, uint32_t* to,
                                     int64_t to_stride) {
  using V = uint32_t __attribute__((vector_size(16)));
  V in[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&in[i], from + i * from_stride, sizeof(V));
  const V a = __builtin_shufflevector(in[0], in[1], 0, 4, 1, 5);
  const V b = __builtin_shufflevector(in[2], in[3], 0, 4, 1, 5);
  const V c = __builtin_shufflevector(in[0], in[1], 2, 6, 3, 7);
  const V d = __builtin_shufflevector(in[2], in[3], 2, 6, 3, 7);
  const V out[4] = {
      __builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(a, b, 2, 3, 6, 7),
      __builtin_shufflevector(c, d, 0, 1, 4, 5), __builtin_shufflevector(c, d, 2, 3, 6, 7)};
  for (int i = 0; i < 4; ++i) std::memcpy(to + i * to_stride, &out[i], sizeof(V));
}

// to[i * to_stride + j] = from[j * from_stride + i] for i < rows, j < columns. In blocks of 16 x
// 16: lines of the source are used up at once, however far apart they are, and those of the target
// stay in the first-level cache meanwhile.
template <typename T>
void Transpose(int64_t rows, int64_t columns, const T* from, int64_t from_stride, T* to,
               int64_t to_stride) {
  constexpr int64_t kBlock = 16;
  for (int64_t j0 = 0; j0 < columns; j0 += kBlock) {
    const int64_t j1 = j0 + kBlock < columns ? j0 + kBlock : columns;
    for (int64_t i0 = 0; i0 < rows; i0 += kBlock) {
      const int64_t i1 = i0 + kBlock < rows ? i0 + kBlock : rows;
      int64_t j = j0;
      for (; j + 4 <= j1; j += 4) {
        int64_t i = i0;
        for (; i + 4 <= i1; i += 4) {
          TransposeBlock(from + j * from_stride + i, from_stride, to + i * to_stride + j,
                         to_stride);
        }
        TransposeEdge(i1 - i, 4, from + j * from_stride + i, from_stride, to + i * to_stride + j,
                      to_stride);
      }
      TransposeEdge(i1 - i0, j1 - j, from + j * from_stride + i0, from_stride,
                    to + i0 * to_stride + j, to_stride);
    }
  }
}

// Pixels of three channels from three planes `plane` elements apart: y[3 * i + c] = x[c * plane +
// i] for i < count.
template <typename T>
void InterleaveThree(int64_t count, const T* x, int64_t plane, T* y) {
  for (int64_t i = 0; i < count; ++i, ++x, y += 3) {
    y[0] = x[0];
    y[1] = x[plane];
    y[2] = x[2 * plane];
  }
}

// Four pixels are three vectors.
template <>
inline void InterleaveThree<uint32_t>(int64_t count, const uint32_t* x, int64_t plane,
                                      uint32_t* y) {
  using V = uint32_t __attribute__((vector_size(16)));
  int64_t i = 0;
  for (; i + 4 <= count; i += 4, y += 12) {
    V r, g, b;
    std::memcpy(&r, x + i, sizeof(V));
    std::memcpy(&g, x + plane + i, sizeof(V));
    std::memcpy(&b, x + 2 * plane + i, sizeof(V));
    const V low = __builtin_shufflevector(r, g, 0, 4, 1, 5);
    const V high = __builtin_shufflevector(r, g, 2, 6, 3, 7);
    const V middle = __builtin_shufflevector(g, b, 1, 5, 1, 5);
    const V out[3] = {__builtin_shufflevector(low, b, 0, 1, 4, 2),
                      __builtin_shufflevector(middle, high, 0, 1, 4, 5),
                      __builtin_shufflevector(high, b, 6, 2, 3, 7)};
    std::memcpy(y, out, sizeof out);
  }
  for (; i < count; ++i, y += 3) {
    for (int c = 0; c < 3; ++c) y[c] = x[c * plane + i];
  }
}

// One 8 x 8 block of bytes: three rounds of interleaving.
inline void TransposeBytes8(const uint8_t* from, int64_t from_stride, uint8_t* to,
                            int64_t to_stride) {
  using V8 = uint8_t __attribute__((vector_size(16)));
  using V16 = uint16_t __attribute__((vector_size(16)));
  using V32 = uint32_t __attribute__((vector_size(16)));
  V16 pairs[4];
  for (int i = 0; i < 4; ++i) {
    V8 a{}, b{};
    std::memcpy(&a, from + 2 * i * from_stride, 8);
    std::memcpy(&b, from + (2 * i + 1) * from_stride, 8);
    pairs[i] =
        (V16)__builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  }
  V32 fours[4];
  for (int i = 0; i < 2; ++i) {
    const V16 a = pairs[2 * i], b = pairs[2 * i + 1];
    fours[i] = (V32)__builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
    fours[2 + i] = (V32)__builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (int i = 0; i < 2; ++i) {
    const V32 a = fours[2 * i], b = fours[2 * i + 1];
    const V32 out[2] = {__builtin_shufflevector(a, b, 0, 4, 1, 5),
                        __builtin_shufflevector(a, b, 2, 6, 3, 7)};
    for (int k = 0; k < 4; ++k) {
      std::memcpy(to + (4 * i + k) * to_stride, reinterpret_cast<const char*>(out) + 8 * k, 8);
    }
  }
}

template <>
inline void Transpose<uint8_t>(int64_t rows, int64_t columns, const uint8_t* from,
                               int64_t from_stride, uint8_t* to, int64_t to_stride) {
  constexpr int64_t kBlock = 8;
  int64_t j = 0;
  for (; j + kBlock <= columns; j += kBlock) {
    int64_t i = 0;
    for (; i + kBlock <= rows; i += kBlock) {
      TransposeBytes8(from + j * from_stride + i, from_stride, to + i * to_stride + j, to_stride);
    }
    TransposeEdge(rows - i, kBlock, from + j * from_stride + i, from_stride, to + i * to_stride + j,
                  to_stride);
  }
  TransposeEdge(rows, columns - j, from + j * from_stride, from_stride, to + j, to_stride);
}

}  // namespace ferry::kernels
