#include "device-runtime/kernels/raster/raster.h"

#include <algorithm>
#include <cstring>

#include "device-runtime/kernels/parallel.h"
#include "device-runtime/kernels/raster/copy.h"

namespace ferry::kernels {
namespace {

int64_t Magnitude(int64_t x) {
  return x < 0 ? -x : x;
}

bool IsEmpty(const Region& r) {
  for (int i = 0; i < r.rank; ++i) {
    if (r.size[i] == 0) return true;
  }
  return false;
}

void CopyPiece(int element_bytes, const Region& r, const void* source, void* destination) {
  switch (element_bytes) {
    case 1:
      return CopySerial<uint8_t>(r, source, destination);
    case 2:
      return CopySerial<uint16_t>(r, source, destination);
    case 4:
      return CopySerial<uint32_t>(r, source, destination);
    default:
      return CopySerial<uint64_t>(r, source, destination);
  }
}

template <typename T>
void FillAll(int64_t count, const void* value, void* destination) {
  T one;
  std::memcpy(&one, value, sizeof one);
  std::fill_n(static_cast<T*>(destination), count, one);
}

}  // namespace

Region Simplified(const Region& region) {
  int order[kMaxRegionRank];
  int count = 0;
  // By insertion, equal ones in order: std::stable_sort would allocate in every run.
  for (int i = 0; i < region.rank; ++i) {
    if (region.size[i] == 1) continue;
    int at = count++;
    for (; at > 0; --at) {
      const int before = order[at - 1];
      if (Magnitude(region.to_stride[before]) >= Magnitude(region.to_stride[i])) break;
      order[at] = before;
    }
    order[at] = i;
  }
  Region out;
  out.from = region.from;
  out.to = region.to;
  for (int k = 0; k < count; ++k) {
    const int i = order[k];
    const int last = out.rank - 1;
    const bool joins = last >= 0 &&
                       out.from_stride[last] == region.from_stride[i] * region.size[i] &&
                       out.to_stride[last] == region.to_stride[i] * region.size[i];
    if (joins) {
      out.size[last] *= region.size[i];
    } else {
      out.size[out.rank++] = region.size[i];
    }
    out.from_stride[out.rank - 1] = region.from_stride[i];
    out.to_stride[out.rank - 1] = region.to_stride[i];
  }
  return out;
}

void Copy(sys::Parallel& parallel, int element_bytes, const Region& region, const void* source,
          void* destination) {
  if (IsEmpty(region)) return;
  const Region r = Simplified(region);
  if (r.rank == 0) {
    CopyPiece(element_bytes, r, source, destination);
    return;
  }
  int64_t rest = 1;
  for (int i = 1; i < r.rank; ++i) rest *= r.size[i];
  // Elements that lie side by side move by the vector, others one by one.
  const bool dense = r.from_stride[r.rank - 1] == 1 && r.to_stride[r.rank - 1] == 1;
  ForPieces(parallel, r.size[0], dense ? rest / 8 + 1 : rest, [&](int64_t begin, int64_t end) {
    Region piece = r;
    piece.size[0] = end - begin;
    piece.from += begin * r.from_stride[0];
    piece.to += begin * r.to_stride[0];
    CopyPiece(element_bytes, piece, source, destination);
  });
}

void Fill(sys::Parallel& parallel, int element_bytes, int64_t count, const void* value,
          void* destination) {
  char* to = static_cast<char*>(destination);
  ForPieces(parallel, count, 1, [&](int64_t begin, int64_t end) {
    char* at = to + begin * element_bytes;
    switch (element_bytes) {
      case 1:
        return FillAll<uint8_t>(end - begin, value, at);
      case 2:
        return FillAll<uint16_t>(end - begin, value, at);
      case 4:
        return FillAll<uint32_t>(end - begin, value, at);
      default:
        return FillAll<uint64_t>(end - begin, value, at);
    }
  });
}

Region TransposeRegion(int rank, const int64_t* dims, const int* permutation) {
  int64_t stride[kMaxRegionRank];
  int64_t step = 1;
  for (int i = rank - 1; i >= 0; --i) {
    stride[i] = step;
    step *= dims[i];
  }
  Region r;
  r.rank = rank;
  step = 1;
  for (int i = rank - 1; i >= 0; --i) {
    r.size[i] = dims[permutation[i]];
    r.from_stride[i] = stride[permutation[i]];
    r.to_stride[i] = step;
    step *= r.size[i];
  }
  return r;
}

}  // namespace ferry::kernels
