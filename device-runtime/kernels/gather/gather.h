// Taking elements at places that indices name.
#pragma once

#include <array>
#include <cstdint>

#include "common/sys/executor.h"
#include "device-runtime/tensor/shape.h"

namespace ferry::kernels {

// The place of a point of a grid: point times data_stride, plus for each k < depth the index at
// (point times index_stride, plus k * index_step) times extent_stride[k]; negative indices count
// from the end of extent[k]. There lie `inner` neighbouring elements. Strides in elements.
struct IndexGrid {
  int rank = 0, depth = 0;
  std::array<int64_t, tensor::kMaxRank> size{}, data_stride{}, index_stride{};
  std::array<int64_t, tensor::kMaxRank> extent{}, extent_stride{};
  int64_t index_step = 0, inner = 1;

  int64_t points() const;
  // The same grid without the axes along which no index changes: it has the same indices.
  IndexGrid OnlyIndices() const;
};
struct Indices {  // i64 or i32
  const void* data;
  bool is_wide;
  int64_t at(int64_t i) const {
    return is_wide ? static_cast<const int64_t*>(data)[i]
                   : int64_t{static_cast<const int32_t*>(data)[i]};
  }
};

// The places of a grid's points, from `first` on, in row-major order.
class GridWalk {
 public:
  GridWalk(const IndexGrid& grid, const Indices& indices, int64_t first);
  // The first element at the present point's place; -1 when an index is outside its extent.
  int64_t Place() const;
  void Next();
  // Of the present point: the sum of its data strides, and where its first index lies.
  int64_t data() const { return data_; }
  int64_t index() const { return index_; }

 private:
  const IndexGrid& grid_;
  const Indices indices_;
  std::array<int64_t, tensor::kMaxRank> at_{};
  int64_t data_ = 0, index_ = 0;
};

// Whether all indices are inside their extents.
bool AreInside(const IndexGrid& grid, const Indices& indices);

// y [points, inner] = x at the places; elements of `bytes` bytes. False, and y unspecified, when an
// index is outside its extent: indices can be outside input.
[[nodiscard]] bool Gather(sys::Parallel& parallel, int bytes, const IndexGrid& grid,
                          const Indices& indices, const void* x, void* y);

}  // namespace ferry::kernels
