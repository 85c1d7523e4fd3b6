// MaxRoiPool (ONNX): the largest element of each cell of regions [batch, x1, y1, x2, y2] of images.
// Source: ONNX operator MaxRoiPool; Fast R-CNN, section 2.1 (corners are whole pixels and belong to
// the region; cells of equal length take every pixel that they touch).
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"

namespace ferry::ops {
namespace {

struct MaxRoiPoolPlan {
  std::vector<int64_t> pooled;
  double scale;
};

Result<MaxRoiPoolPlan> MaxRoiPoolPlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const Shape& rois = c.InputShape(1);
  MaxRoiPoolPlan p{};
  if (x.rank() != 4 || rois.rank() != 2 || rois[1] != 5) {
    return Status::Of(Code::kShapeMismatch, "regions {} of {}", rois.ToString(), x.ToString());
  }
  if (!IsWideFloat(c.Input(0).dtype) || c.Input(1).dtype != c.Input(0).dtype) {
    return Status::Of(Code::kUnsupported, "a pool of {}", tensor::DTypeName(c.Input(0).dtype));
  }
  if (!c.Has("pooled_shape")) return Status(Code::kBadModel, "no pooled_shape");
  FERRY_ASSIGN_OR_RETURN(p.pooled, c.Window("pooled_shape", 2, 1, 1));
  FERRY_ASSIGN_OR_RETURN(p.scale, c.Float("spatial_scale", 1));
  return p;
}

Status InferMaxRoiPool(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(MaxRoiPoolPlan p, MaxRoiPoolPlanOf(c));
  FERRY_ASSIGN_OR_RETURN(Shape shape,
                         Shape::Make(std::vector<int64_t>{c.InputShape(1)[0], c.InputShape(0)[1],
                                                          p.pooled[0], p.pooled[1]}));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

// One axis of a region: its first pixel, how many pixels it has (at least one) and into how many
// cells of equal length they are cut.
struct Side {
  Side(double from, double to, int64_t count)
      : first(from), length(std::max(to - from + 1, 1.0)), cells(static_cast<double>(count)) {}
  // Whether pixel `at` of the image shares more than an edge with cell `i`. Pixel d of the region
  // is the interval from d to d + 1, the cell that from i * length / cells to (i + 1) * length /
  // cells; both are compared times `cells`, in whole numbers.
  bool Touches(int64_t at, int64_t i) const {
    const double d = static_cast<double>(at) - first, cell = static_cast<double>(i);
    return d * cells < (cell + 1) * length && (d + 1) * cells > cell * length;
  }
  double first, length, cells;
};

struct Region {
  int64_t image;
  Side rows, columns;
};

// Region `index` of the second input, its corners rounded to whole pixels.
Result<Region> RegionOf(const ReferenceContext& c, const MaxRoiPoolPlan& p, int64_t index) {
  std::array<double, 5> roi{};
  for (size_t k = 0; k < roi.size(); ++k) {
    roi[k] = c.In(1).Number(index * 5 + static_cast<int64_t>(k));
    if (!std::isfinite(roi[k])) return Status(Code::kInvalidArgument, "a region is no number");
  }
  const int64_t images = c.InputShape(0)[0];
  if (roi[0] < 0 || roi[0] >= static_cast<double>(images)) {
    return Status::Of(Code::kInvalidArgument, "image {} of {}", roi[0], images);
  }
  constexpr double kFar = 1e15;  // behind every image
  const auto corner = [&](size_t k) {
    return std::clamp(std::round(roi[k] * p.scale), -kFar, kFar);
  };
  return Region{static_cast<int64_t>(roi[0]), Side(corner(2), corner(4), p.pooled[0]),
                Side(corner(1), corner(3), p.pooled[1])};
}

// The largest pixel of channel `channel` that cell (i, k) of the region touches; 0 when it touches
// none.
double LargestIn(const Tensor& x, const Region& region, int64_t channel, int64_t i, int64_t k) {
  const int64_t height = x.shape()[2], width = x.shape()[3];
  const int64_t plane = (region.image * x.shape()[1] + channel) * height * width;
  std::optional<double> largest;
  for (int64_t row = 0; row < height; ++row) {
    if (!region.rows.Touches(row, i)) continue;
    for (int64_t column = 0; column < width; ++column) {
      if (!region.columns.Touches(column, k)) continue;
      const double value = x.Number(plane + row * width + column);
      largest = std::max(largest.value_or(value), value);
    }
  }
  return largest.value_or(0);
}

Status ReferenceMaxRoiPool(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(MaxRoiPoolPlan p, MaxRoiPoolPlanOf(c));
  const int64_t regions = c.InputShape(1)[0], channels = c.InputShape(0)[1];
  if (c.Out(0).elements() == 0) return OkStatus();
  if (c.In(0).elements() == 0) return Status(Code::kShapeMismatch, "regions of nothing");
  int64_t to = 0;
  for (int64_t index = 0; index < regions; ++index) {
    FERRY_ASSIGN_OR_RETURN(const Region region, RegionOf(c, p, index));
    for (int64_t channel = 0; channel < channels; ++channel) {
      for (int64_t i = 0; i < p.pooled[0]; ++i) {
        for (int64_t k = 0; k < p.pooled[1]; ++k) {
          c.Out(0).SetNumber(to++, LargestIn(c.In(0), region, channel, i, k));
        }
      }
    }
  }
  return OkStatus();
}

Status LowerMaxRoiPool(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(MaxRoiPoolPlan p, MaxRoiPoolPlanOf(c));
  c.ComputeInFloat();
  const Shape& x = c.InputShape(0);
  const ir::RegionPrim prim{
      ir::RegionKind::kMax, x[0],        x[1], x[2],    x[3], c.InputShape(1)[0],
      p.pooled[0],          p.pooled[1], 0,    p.scale, false};
  const BufferId in = c.In(0), rois = c.In(1);
  c.Emit(prim, {in, rois}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kMaxRoiPoolOp;
const Op kMaxRoiPoolOp = {"MaxRoiPool",   2, 2, 1, 1, InferMaxRoiPool, ReferenceMaxRoiPool,
                          LowerMaxRoiPool};

}  // namespace ferry::ops
