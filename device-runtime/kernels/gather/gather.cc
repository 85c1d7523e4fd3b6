#include "device-runtime/kernels/gather/gather.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

// Runs of kRun bytes, for any number of indices a point.
template <size_t kRun>
bool AnyIndices(const IndexGrid& grid, const Indices& indices, int64_t bytes, int64_t begin,
                int64_t end, const void* x, void* y) {
  const auto* from = static_cast<const char*>(x);
  char* to = static_cast<char*>(y) + begin * static_cast<int64_t>(kRun);
  GridWalk walk(grid, indices, begin);
  for (; begin < end; ++begin, walk.Next(), to += kRun) {
    const int64_t place = walk.Place();
    if (place < 0) return false;
    std::memcpy(to, from + place * bytes, kRun);
  }
  return true;
}

// One index a point: the points of the last axis in a loop of their own.
template <size_t kRun, typename Index>
bool OneIndex(const IndexGrid& grid, const Indices& indices, int64_t bytes, int64_t begin,
              int64_t end, const void* x, void* y) {
  IndexGrid rows = grid;
  const auto last = static_cast<size_t>(--rows.rank);
  const int64_t width = grid.size[last], extent = grid.extent[0];
  const int64_t stride = grid.extent_stride[0] * bytes, step = grid.data_stride[last] * bytes;
  const int64_t index_step = grid.index_stride[last];
  char* to = static_cast<char*>(y) + begin * static_cast<int64_t>(kRun);
  GridWalk walk(rows, indices, begin / width);
  for (int64_t column = begin % width; begin < end; column = 0, walk.Next()) {
    const char* from = static_cast<const char*>(x) + walk.data() * bytes;
    const Index* index = static_cast<const Index*>(indices.data) + walk.index();
    const int64_t stop = std::min(width, column + end - begin);
    for (; column < stop; ++column, ++begin, to += kRun) {
      int64_t place = index[column * index_step];
      if (place < 0) place += extent;
      if (place < 0 || place >= extent) return false;
      std::memcpy(to, from + column * step + place * stride, kRun);
    }
  }
  return true;
}

template <size_t kRun>
bool Runs(const IndexGrid& grid, const Indices& indices, int64_t bytes, int64_t begin, int64_t end,
          const void* x, void* y) {
  if (grid.depth != 1 || grid.rank == 0)
    return AnyIndices<kRun>(grid, indices, bytes, begin, end, x, y);
  return indices.is_wide ? OneIndex<kRun, int64_t>(grid, indices, bytes, begin, end, x, y)
                         : OneIndex<kRun, int32_t>(grid, indices, bytes, begin, end, x, y);
}

bool Some(const IndexGrid& grid, const Indices& indices, int64_t bytes, int64_t begin, int64_t end,
          const void* x, void* y) {
  const int64_t run = grid.inner * bytes;
  if (run == 1) return Runs<1>(grid, indices, bytes, begin, end, x, y);
  if (run == 2) return Runs<2>(grid, indices, bytes, begin, end, x, y);
  if (run == 4) return Runs<4>(grid, indices, bytes, begin, end, x, y);
  if (run == 8) return Runs<8>(grid, indices, bytes, begin, end, x, y);
  if (run == 16) return Runs<16>(grid, indices, bytes, begin, end, x, y);  // boxes of detectors
  const auto* from = static_cast<const char*>(x);
  auto* to = static_cast<char*>(y);
  GridWalk walk(grid, indices, begin);
  for (int64_t i = begin; i < end; ++i, walk.Next()) {
    const int64_t place = walk.Place();
    if (place < 0) return false;
    std::memcpy(to + i * run, from + place * bytes, static_cast<size_t>(run));
  }
  return true;
}

}  // namespace

int64_t IndexGrid::points() const {
  int64_t count = 1;
  for (int axis = 0; axis < rank; ++axis) count *= size[static_cast<size_t>(axis)];
  return count;
}

IndexGrid IndexGrid::OnlyIndices() const {
  IndexGrid grid = *this;
  for (int axis = 0; axis < rank; ++axis) {
    const auto a = static_cast<size_t>(axis);
    if (index_stride[a] == 0) grid.size[a] = std::min<int64_t>(size[a], 1);
  }
  return grid;
}

bool AreInside(const IndexGrid& grid, const Indices& indices) {
  const IndexGrid once = grid.OnlyIndices();
  const int64_t points = once.points();
  GridWalk walk(once, indices, 0);
  for (int64_t i = 0; i < points; ++i, walk.Next()) {
    if (walk.Place() < 0) return false;
  }
  return true;
}

GridWalk::GridWalk(const IndexGrid& grid, const Indices& indices, int64_t first)
    : grid_(grid), indices_(indices) {
  for (int axis = grid.rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<size_t>(axis);
    if (grid.size[a] == 0) continue;
    at_[a] = first % grid.size[a];
    first /= grid.size[a];
    data_ += at_[a] * grid.data_stride[a];
    index_ += at_[a] * grid.index_stride[a];
  }
}

int64_t GridWalk::Place() const {
  int64_t place = data_;
  for (int k = 0; k < grid_.depth; ++k) {
    const auto a = static_cast<size_t>(k);
    const int64_t extent = grid_.extent[a];
    int64_t index = indices_.at(index_ + k * grid_.index_step);
    if (index < -extent || index >= extent) return -1;
    if (index < 0) index += extent;
    place += index * grid_.extent_stride[a];
  }
  return place;
}

void GridWalk::Next() {
  for (int axis = grid_.rank - 1; axis >= 0; --axis) {
    const auto a = static_cast<size_t>(axis);
    data_ += grid_.data_stride[a];
    index_ += grid_.index_stride[a];
    if (++at_[a] < grid_.size[a]) return;
    data_ -= at_[a] * grid_.data_stride[a];
    index_ -= at_[a] * grid_.index_stride[a];
    at_[a] = 0;
  }
}

bool Gather(sys::Parallel& parallel, int bytes, const IndexGrid& grid, const Indices& indices,
            const void* x, void* y) {
  // Points of nothing may be without number.
  if (grid.inner == 0 || grid.points() == 0) return AreInside(grid, indices);
  std::atomic<bool> good = true;
  const int64_t steps = grid.inner * bytes / 32 + 8;
  ForPieces(parallel, grid.points(), steps, [&](int64_t begin, int64_t end) {
    if (!Some(grid, indices, bytes, begin, end, x, y)) good = false;
  });
  return good;
}

}  // namespace ferry::kernels
