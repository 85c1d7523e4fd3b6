#include "device-runtime/kernels/scatter/scatter.h"

#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/numbers.h"

namespace ferry::kernels {
namespace {

template <typename Body>
bool ForPlaces(const IndexGrid& grid, const Indices& indices, const Body& body) {
  GridWalk walk(grid, indices, 0);
  const int64_t points = grid.points();
  for (int64_t i = 0; i < points; ++i, walk.Next()) {
    const int64_t place = walk.Place();
    if (place < 0) return false;
    body(i, place);
  }
  return true;
}

template <typename T, typename Join>
bool Combine(const IndexGrid& grid, const Indices& indices, const void* updates, void* y,
             const Join& join) {
  const T* from = static_cast<const T*>(updates);
  T* to = static_cast<T*>(y);
  return ForPlaces(grid, indices, [&](int64_t i, int64_t place) {
    for (int64_t k = 0; k < grid.inner; ++k) {
      to[place + k] = join(to[place + k], from[i * grid.inner + k]);
    }
  });
}

template <typename T>
bool CombineBy(ScatterKind kind, bool is_bool, const IndexGrid& grid, const Indices& indices,
               const void* updates, void* y) {
  const auto one = [&](T x) { return is_bool ? static_cast<T>(x != T{}) : x; };
  switch (kind) {
    case ScatterKind::kAdd:
      return Combine<T>(grid, indices, updates, y, [&](T a, T b) { return one(Sum(a, b)); });
    case ScatterKind::kMul:
      return Combine<T>(grid, indices, updates, y, [&](T a, T b) { return one(Product(a, b)); });
    case ScatterKind::kMin:
      return Combine<T>(grid, indices, updates, y, [](T a, T b) { return Smaller(a, b); });
    default:
      return Combine<T>(grid, indices, updates, y, [](T a, T b) { return Larger(a, b); });
  }
}

}  // namespace

bool Scatter(tensor::DType dtype, ScatterKind kind, const IndexGrid& grid, const Indices& indices,
             int64_t elements, const void* x, const void* updates, void* y) {
  const auto bytes = static_cast<int64_t>(tensor::DTypeSize(dtype));
  if (elements > 0) std::memcpy(y, x, static_cast<size_t>(elements * bytes));
  // Points of nothing may be without number.
  if (grid.inner == 0 || grid.points() == 0) return AreInside(grid, indices);
  if (kind == ScatterKind::kReplace) {
    const int64_t run = grid.inner * bytes;
    return ForPlaces(grid, indices, [&](int64_t i, int64_t place) {
      std::memcpy(static_cast<char*>(y) + place * bytes,
                  static_cast<const char*>(updates) + i * run, static_cast<size_t>(run));
    });
  }
  bool good = true;
  const bool known = WithNumber(dtype, [&](auto zero) {
    using T = decltype(zero);
    good = CombineBy<T>(kind, dtype == tensor::DType::kBool, grid, indices, updates, y);
  });
  return known && good;
}

}  // namespace ferry::kernels
