// Strided region copies: the one primitive that transposes, concatenations, slices, pads, splits,
// channel shuffles and layout changes lower to. After the "raster" operator of Walle (OSDI 2022)
// and MNN. Moves bits; knows no dtype but the element's size.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/sys/executor.h"

namespace ferry::kernels {

inline constexpr int kMaxRegionRank = 8;

// for every index i: destination[to + sum(i * to_stride)] = source[from + sum(i * from_stride)], in
// elements. Strides may be negative or, on the source side, 0 (repeat). Destinations must not
// collide. Any size 0 copies nothing; rank 0 copies one element.
struct Region {
  int rank = 0;
  int64_t size[kMaxRegionRank] = {};
  int64_t from_stride[kMaxRegionRank] = {};
  int64_t to_stride[kMaxRegionRank] = {};
  int64_t from = 0;
  int64_t to = 0;
};

// Merges axes that are contiguous on both sides, drops axes of size 1 and sorts the rest by
// destination stride, largest first. Copy does this itself; planners may do it once.
Region Simplified(const Region& region);

// element_bytes is 1, 2, 4 or 8. Source and destination do not overlap.
void Copy(sys::Parallel& parallel, int element_bytes, const Region& region, const void* source,
          void* destination);

// Fills `count` elements with the element at `value`.
void Fill(sys::Parallel& parallel, int element_bytes, int64_t count, const void* value,
          void* destination);

// The region that writes a dense tensor of `dims` (of the source) with its axes permuted: output
// axis i is source axis permutation[i]. rank <= kMaxRegionRank.
Region TransposeRegion(int rank, const int64_t* dims, const int* permutation);

}  // namespace ferry::kernels
