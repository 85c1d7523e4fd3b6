// MaxRoiPool (ONNX): the largest element of each cell of regions [batch, x1, y1, x2, y2] of images.
// Source: ONNX operator MaxRoiPool, Fast R-CNN (cells of whole pixels, ends included).
#include <algorithm>
#include <cmath>

#include "device-runtime/ops/defs/dtypes.h"
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

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

// The pixels [begin, end) of cell `i` of a region from first to last (ends included).
struct Cell {
  Cell(double first, double last, int64_t i, int64_t cells, int64_t extent) {
    const double size = std::max(last - first + 1, 1.0) / static_cast<double>(cells);
    const auto most = static_cast<double>(extent);
    const auto at = static_cast<double>(i);
    begin = static_cast<int64_t>(std::clamp(std::floor(at * size) + first, 0.0, most));
    end = static_cast<int64_t>(std::clamp(std::ceil((at + 1) * size) + first, 0.0, most));
  }
  int64_t begin, end;
};

Status ReferenceMaxRoiPool(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(MaxRoiPoolPlan p, MaxRoiPoolPlanOf(c));
  const Shape& x = c.InputShape(0);
  const int64_t cells = p.pooled[0] * p.pooled[1];
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    const int64_t roi = i / cells / x[1];
    double place[5];
    for (int64_t k = 0; k < 5; ++k) {
      place[k] = c.In(1).Number(roi * 5 + k);
      if (!std::isfinite(place[k])) return Status(Code::kInvalidArgument, "a region is no number");
      if (k > 0) place[k] = std::clamp(std::round(place[k] * p.scale), -1e15, 1e15);
    }
    if (!(place[0] >= 0 && place[0] < static_cast<double>(x[0]))) {
      return Status::Of(Code::kInvalidArgument, "image {} of {}", place[0], x[0]);
    }
    const Cell rows(place[2], place[4], i % cells / p.pooled[1], p.pooled[0], x[2]);
    const Cell columns(place[1], place[3], i % p.pooled[1], p.pooled[1], x[3]);
    const int64_t plane = static_cast<int64_t>(place[0]) * x[1] + i / cells % x[1];
    double best = 0;
    bool any = false;
    for (int64_t row = rows.begin; row < rows.end; ++row) {
      for (int64_t column = columns.begin; column < columns.end; ++column) {
        const double value = c.In(0).Number((plane * x[2] + row) * x[3] + column);
        best = any ? std::max(best, value) : value;
        any = true;
      }
    }
    c.Out(0).SetNumber(i, best);
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
