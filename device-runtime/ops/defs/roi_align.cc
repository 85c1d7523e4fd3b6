// RoiAlign (ONNX): bilinear samples of regions [x1, y1, x2, y2] of images, averaged or their
// largest taken for each cell. Source: ONNX operator RoiAlign, Mask R-CNN.
#include <algorithm>
#include <cmath>

#include "device-runtime/ops/defs/dtypes.h"
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

// Samples a cell along one axis: regions are data, and must not ask for endless work.
constexpr double kMaxSamples = 4096;

struct RoiAlignPlan {
  int64_t height, width, samples;  // samples 0: as many as the cell has pixels
  double scale;
  bool largest, half_pixel;
};

Result<RoiAlignPlan> RoiAlignPlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  const Shape& rois = c.InputShape(1);
  RoiAlignPlan p{};
  if (x.rank() != 4 || rois.rank() != 2 || rois[1] != 4 || c.InputShape(2) != Shape({rois[0]})) {
    return Status::Of(Code::kShapeMismatch, "regions {} and images {} of {}", rois.ToString(),
                      c.InputShape(2).ToString(), x.ToString());
  }
  if (!IsWideFloat(c.Input(0).dtype) || c.Input(1).dtype != c.Input(0).dtype ||
      c.Input(2).dtype != DType::kI64) {
    return Status(Code::kUnsupported, "needs floats of one dtype and i64 images");
  }
  FERRY_ASSIGN_OR_RETURN(p.height, c.Int("output_height", 1));
  FERRY_ASSIGN_OR_RETURN(p.width, c.Int("output_width", 1));
  FERRY_ASSIGN_OR_RETURN(p.samples, c.Int("sampling_ratio", 0));
  FERRY_ASSIGN_OR_RETURN(const float scale, c.Float("spatial_scale", 1));
  FERRY_ASSIGN_OR_RETURN(const std::string mode, c.Text("mode", "avg"));
  FERRY_ASSIGN_OR_RETURN(const std::string coordinates,
                         c.Text("coordinate_transformation_mode",
                                c.version() < 16 ? "output_half_pixel" : "half_pixel"));
  p.scale = scale;
  p.largest = mode == "max";
  p.half_pixel = coordinates == "half_pixel";
  if ((mode != "avg" && mode != "max") ||
      (coordinates != "half_pixel" && coordinates != "output_half_pixel")) {
    return Status::Of(Code::kBadModel, "mode '{}', '{}'", mode, coordinates);
  }
  if (p.height < 1 || p.width < 1 || p.samples < 0 ||
      std::max({p.height, p.width}) > kMaxAttribute ||
      static_cast<double>(p.samples) > kMaxSamples) {
    return Status(Code::kBadModel, "sizes out of range");
  }
  return p;
}

Status InferRoiAlign(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(RoiAlignPlan p, RoiAlignPlanOf(c));
  FERRY_ASSIGN_OR_RETURN(
      Shape shape,
      Shape::Make(std::vector<int64_t>{c.InputShape(1)[0], c.InputShape(0)[1], p.height, p.width}));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

// One axis of one region: where its cells lie and how often each is sampled.
struct Side {
  double start, cell;
  int64_t samples;
  double At(int64_t index, int64_t sample) const {
    return start + static_cast<double>(index) * cell +
           (static_cast<double>(sample) + 0.5) * cell / static_cast<double>(samples);
  }
};

Result<Side> SideOf(const RoiAlignPlan& p, double first, double last, int64_t cells) {
  const double shift = p.half_pixel ? 0.5 : 0;
  const double start = first * p.scale - shift;
  double size = last * p.scale - shift - start;
  if (!p.half_pixel) size = std::max(size, 1.0);
  const double cell = size / static_cast<double>(cells);
  const double samples = p.samples > 0 ? static_cast<double>(p.samples) : std::ceil(cell);
  if (!std::isfinite(start) || !(samples <= kMaxSamples)) {
    return Status::Of(Code::kLimitExceeded, "a region from {} to {}", first, last);
  }
  return Side{start, cell, std::max<int64_t>(0, static_cast<int64_t>(samples))};
}

// The two elements along one axis that a place lies between; false: it lies too far outside.
bool Neighbours(double at, int64_t extent, int64_t (&index)[2], double (&weight)[2]) {
  if (!(at >= -1 && at <= static_cast<double>(extent))) return false;
  at = std::max(at, 0.0);
  index[0] = std::min(static_cast<int64_t>(at), extent - 1);
  index[1] = std::min(index[0] + 1, extent - 1);
  weight[1] = index[0] == extent - 1 ? 0 : at - static_cast<double>(index[0]);
  weight[0] = 1 - weight[1];
  return true;
}

// The value of one cell over the plane that begins at `plane`.
double CellValue(const RoiAlignPlan& p, const Tensor& x, int64_t plane, const Side& rows,
                 const Side& columns, int64_t row, int64_t column) {
  const int64_t height = x.shape()[2], width = x.shape()[3];
  double sum = 0, best = 0;
  for (int64_t i = 0; i < rows.samples * columns.samples; ++i) {
    int64_t h[2] = {0, 0}, w[2] = {0, 0};
    double hw[2] = {0, 0}, ww[2] = {0, 0};
    const bool inside = Neighbours(rows.At(row, i / columns.samples), height, h, hw) &&
                        Neighbours(columns.At(column, i % columns.samples), width, w, ww);
    double largest = 0;
    for (int k = 0; k < 4; ++k) {
      const int a = k / 2, b = k % 2;
      const double part = inside ? hw[a] * ww[b] * x.Number(plane + h[a] * width + w[b]) : 0;
      sum += part;
      largest = k == 0 ? part : std::max(largest, part);
    }
    best = i == 0 ? largest : std::max(best, largest);
  }
  if (p.largest) return best;
  return sum / static_cast<double>(std::max<int64_t>(rows.samples * columns.samples, 1));
}

Status ReferenceRoiAlign(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(RoiAlignPlan p, RoiAlignPlanOf(c));
  const Shape& x = c.InputShape(0);
  if (c.Out(0).elements() > 0 && x.elements() == 0) {
    return Status(Code::kShapeMismatch, "regions of nothing");
  }
  const int64_t cells = p.height * p.width;
  for (int64_t plane = 0; plane < c.Out(0).elements() / cells; ++plane) {
    const int64_t roi = plane / x[1];
    const int64_t image = c.In(2).Integer(roi);
    if (image < 0 || image >= x[0]) {
      return Status::Of(Code::kInvalidArgument, "image {} of {}", image, x[0]);
    }
    auto at = [&](int64_t k) { return c.In(1).Number(roi * 4 + k); };
    FERRY_ASSIGN_OR_RETURN(const Side rows, SideOf(p, at(1), at(3), p.height));
    FERRY_ASSIGN_OR_RETURN(const Side columns, SideOf(p, at(0), at(2), p.width));
    const int64_t from = (image * x[1] + plane % x[1]) * x[2] * x[3];
    for (int64_t i = 0; i < cells; ++i) {
      c.Out(0).SetNumber(plane * cells + i,
                         CellValue(p, c.In(0), from, rows, columns, i / p.width, i % p.width));
    }
  }
  return OkStatus();
}

Status LowerRoiAlign(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(RoiAlignPlan p, RoiAlignPlanOf(c));
  c.ComputeInFloat();
  const Shape& x = c.InputShape(0);
  const ir::RegionKind kind = p.largest ? ir::RegionKind::kAlignMax : ir::RegionKind::kAlignAverage;
  const ir::RegionPrim prim{kind,     x[0],    x[1],      x[2],    x[3],        c.InputShape(1)[0],
                            p.height, p.width, p.samples, p.scale, p.half_pixel};
  const BufferId in = c.In(0), rois = c.In(1), images = c.In(2);
  c.Emit(prim, {in, rois, images}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kRoiAlignOp;
const Op kRoiAlignOp = {"RoiAlign", 3, 3, 1, 1, InferRoiAlign, ReferenceRoiAlign, LowerRoiAlign};

}  // namespace ferry::ops
