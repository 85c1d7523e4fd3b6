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

// to[i * to_stride + j] = from[j * from_stride + i] for i < rows, j < columns. Walks blocks of 16
// columns, so that the lines of the source that it touches stay in the first-level cache.
template <typename T>
void Transpose(int64_t rows, int64_t columns, const T* from, int64_t from_stride, T* to,
               int64_t to_stride) {
  constexpr int64_t kStripe = 16;
  for (int64_t j0 = 0; j0 < columns; j0 += kStripe) {
    const int64_t j1 = j0 + kStripe < columns ? j0 + kStripe : columns;
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4) {
      int64_t j = j0;
      for (; j + 4 <= j1; j += 4) {
        TransposeBlock(from + j * from_stride + i, from_stride, to + i * to_stride + j, to_stride);
      }
      TransposeEdge(4, j1 - j, from + j * from_stride + i, from_stride, to + i * to_stride + j,
                    to_stride);
    }
    TransposeEdge(rows - i, j1 - j0, from + j0 * from_stride + i, from_stride,
                  to + i * to_stride + j0, to_stride);
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
