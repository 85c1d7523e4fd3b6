#include "device-runtime/kernels/region/region.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/kernels/parallel.h"

namespace ferry::kernels {
namespace {

// One axis of one region: where its cells lie and how often each is sampled.
struct Side {
  double start, cell;
  int64_t samples;
  double At(int64_t index, int64_t sample) const {
    return start + static_cast<double>(index) * cell +
           (static_cast<double>(sample) + 0.5) * cell / static_cast<double>(samples);
  }
};

Result<Side> SideOf(const RegionShape& s, double first, double last, int64_t cells) {
  const double shift = s.half_pixel ? 0.5 : 0;
  const double start = first * s.scale - shift;
  double size = last * s.scale - shift - start;
  if (!s.half_pixel) size = std::max(size, 1.0);
  const double cell = size / static_cast<double>(cells);
  const double samples = s.samples > 0 ? static_cast<double>(s.samples) : std::ceil(cell);
  if (!std::isfinite(start) || !(samples <= kMaxRegionSamples)) {
    return Status::Of(Code::kLimitExceeded, "a region from {} to {}", first, last);
  }
  return Side{start, cell, std::max<int64_t>(0, static_cast<int64_t>(samples))};
}

// The two elements along one axis that a place lies between; false: it lies too far outside.
struct Between {
  int64_t index[2] = {0, 0};
  double weight[2] = {0, 0};
  bool inside = false;
  Between(double at, int64_t extent) {
    inside = at >= -1 && at <= static_cast<double>(extent);
    if (!inside) return;
    at = std::max(at, 0.0);
    index[0] = std::min(static_cast<int64_t>(at), extent - 1);
    index[1] = std::min(index[0] + 1, extent - 1);
    weight[1] = index[0] == extent - 1 ? 0 : at - static_cast<double>(index[0]);
    weight[0] = 1 - weight[1];
  }
};

// Channels that share the places and weights of a sample.
constexpr int64_t kTogether = 64;

// Up to kTogether channels of one cell; x is the first's plane.
template <typename T>
void AlignCell(const RegionShape& s, const T* x, const Side& rows, const Side& columns, int64_t row,
               int64_t column, int64_t channels, T* y) {
  const int64_t plane = s.in_h * s.in_w, cells = s.out_h * s.out_w;
  const bool largest = s.kind == RegionKind::kAlignMax;
  const int64_t count = rows.samples * columns.samples;
  double sum[kTogether] = {}, best[kTogether] = {};
  for (int64_t i = 0; i < count; ++i) {
    const Between h(rows.At(row, i / columns.samples), s.in_h);
    const Between w(columns.At(column, i % columns.samples), s.in_w);
    const bool inside = h.inside && w.inside;
    for (int k = 0; k < 4; ++k) {
      const double weight = h.weight[k / 2] * w.weight[k % 2];
      const T* from = x + h.index[k / 2] * s.in_w + w.index[k % 2];
      for (int64_t c = 0; c < channels; ++c) {
        const double part = inside ? weight * static_cast<double>(from[c * plane]) : 0;
        sum[c] += part;
        best[c] = i == 0 && k == 0 ? part : std::max(best[c], part);
      }
    }
  }
  const double divisor = static_cast<double>(std::max<int64_t>(count, 1));
  for (int64_t c = 0; c < channels; ++c) {
    y[c * cells] = static_cast<T>(largest ? best[c] : sum[c] / divisor);
  }
}

template <typename T>
Status AlignRegion(const RegionShape& s, const T* x, const T* roi, int64_t image, T* y) {
  if (image < 0 || image >= s.images) {
    return Status::Of(Code::kInvalidArgument, "image {} of {}", image, s.images);
  }
  const auto at = [&](int k) { return static_cast<double>(roi[k]); };
  FERRY_ASSIGN_OR_RETURN(const Side rows, SideOf(s, at(1), at(3), s.out_h));
  FERRY_ASSIGN_OR_RETURN(const Side columns, SideOf(s, at(0), at(2), s.out_w));
  const T* from = x + image * s.channels * s.in_h * s.in_w;
  const int64_t plane = s.in_h * s.in_w, cells = s.out_h * s.out_w;
  for (int64_t c = 0; c < s.channels; c += kTogether) {
    for (int64_t i = 0; i < cells; ++i) {
      AlignCell(s, from + c * plane, rows, columns, i / s.out_w, i % s.out_w,
                std::min(kTogether, s.channels - c), y + c * cells + i);
    }
  }
  return OkStatus();
}

// The pixels [begin, end) of cell `i` of a region from first to last (ends included).
struct Cell {
  Cell(double first, double last, int64_t i, int64_t cells, int64_t extent) {
    // Multiplied before it is divided: products of whole numbers are exact, and so is the pixel
    // that a cell begins or ends with.
    const double length = std::max(last - first + 1, 1.0);
    const auto count = static_cast<double>(cells);
    const auto most = static_cast<double>(extent);
    const auto at = static_cast<double>(i);
    begin = static_cast<int64_t>(std::clamp(std::floor(at * length / count) + first, 0.0, most));
    end = static_cast<int64_t>(std::clamp(std::ceil((at + 1) * length / count) + first, 0.0, most));
  }
  int64_t begin, end;
};

template <typename T>
Status MaxRegion(const RegionShape& s, const T* x, const T* roi, T* y) {
  double place[5];
  for (int k = 0; k < 5; ++k) {
    place[k] = static_cast<double>(roi[k]);
    if (!std::isfinite(place[k])) return Status(Code::kInvalidArgument, "a region is no number");
    if (k > 0) place[k] = std::clamp(std::round(place[k] * s.scale), -1e15, 1e15);
  }
  if (!(place[0] >= 0 && place[0] < static_cast<double>(s.images))) {
    return Status::Of(Code::kInvalidArgument, "image {} of {}", place[0], s.images);
  }
  const int64_t cells = s.out_h * s.out_w;
  for (int64_t i = 0; i < s.channels * cells; ++i) {
    const Cell rows(place[2], place[4], i % cells / s.out_w, s.out_h, s.in_h);
    const Cell columns(place[1], place[3], i % s.out_w, s.out_w, s.in_w);
    const T* plane =
        x + (static_cast<int64_t>(place[0]) * s.channels + i / cells) * s.in_h * s.in_w;
    T best = 0;
    bool any = false;
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      for (int64_t column = columns.begin; column < columns.end; ++column) {
        const T value = plane[row * s.in_w + column];
        best = any ? std::max(best, value) : value;
        any = true;
      }
    }
    y[i] = best;
  }
  return OkStatus();
}

template <typename T>
Status All(sys::Parallel& parallel, const RegionShape& s, const T* x, const T* rois,
           const int64_t* image, T* y) {
  const int64_t each = s.channels * s.out_h * s.out_w;
  // The first region that fails is reported, whatever the pieces: a few statuses, one a piece.
  constexpr int64_t kPieces = 8;
  Status failed[kPieces];
  ForPieces(parallel, kPieces, each * s.regions, [&](int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; ++piece) {
      Status& status = failed[piece];
      const int64_t last = s.regions * (piece + 1) / kPieces;
      for (int64_t r = s.regions * piece / kPieces; r < last && status.ok(); ++r) {
        status = s.kind == RegionKind::kMax
                     ? MaxRegion(s, x, rois + r * 5, y + r * each)
                     : AlignRegion(s, x, rois + r * 4, image[r], y + r * each);
      }
    }
  });
  for (Status& status : failed) FERRY_TRY(std::move(status));
  return OkStatus();
}

}  // namespace

Status PoolRegions(sys::Parallel& parallel, tensor::DType dtype, const RegionShape& s,
                   const void* x, const void* rois, const int64_t* image, void* y) {
  if (s.regions * s.channels == 0) return OkStatus();
  if (s.images * s.in_h * s.in_w == 0) return Status(Code::kShapeMismatch, "regions of nothing");
  if (dtype == tensor::DType::kF64) {
    return All(parallel, s, static_cast<const double*>(x), static_cast<const double*>(rois), image,
               static_cast<double*>(y));
  }
  if (dtype != tensor::DType::kF32) return Status(Code::kInternal, "regions of this dtype");
  return All(parallel, s, static_cast<const float*>(x), static_cast<const float*>(rois), image,
             static_cast<float*>(y));
}

}  // namespace ferry::kernels
