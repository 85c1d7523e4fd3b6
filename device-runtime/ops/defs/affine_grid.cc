// AffineGrid (ONNX): theta [n,2,3] or [n,3,4] applied to the points of a regular grid from -1 to 1
// over `size` [n,c,(d,)h,w]; coordinates of a point run from the last axis to the first.
#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"

namespace ferry::ops {
namespace {

// The points as rows [x, y, (z,) 1].
Result<Tensor> Points(std::span<const int64_t> extents, bool align, DType dtype) {
  const auto axes = static_cast<int64_t>(extents.size());
  FERRY_ASSIGN_OR_RETURN(Shape all, Shape::Make(extents));
  const int64_t count = all.elements();
  FERRY_ASSIGN_OR_RETURN(Shape rows, Shape::Make(std::vector<int64_t>{count, axes + 1}));
  FERRY_ASSIGN_OR_RETURN(Tensor points, Tensor::Allocate(dtype, rows));
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (int64_t k = 0; k < axes; ++k) {
      const int64_t extent = extents[static_cast<size_t>(axes - 1 - k)];
      const auto n = static_cast<double>(extent);
      const auto at = static_cast<double>(rest % extent);
      rest /= extent;
      const double aligned = extent == 1 ? -1 : at * 2 / (n - 1) - 1;
      points.SetNumber(i * (axes + 1) + k, align ? aligned : (2 * at + 1) / n - 1);
    }
    points.SetNumber(i * (axes + 1) + axes, 1);
  }
  return points;
}

Status ExpandAffineGrid(ExpandContext& c) {
  FERRY_ASSIGN_OR_RETURN(const IntList size, c.IntsInput(1, "size"));
  FERRY_ASSIGN_OR_RETURN(const int64_t align, c.Int("align_corners", 0));
  const Shape& theta = c.InputShape(0);
  const auto rank = static_cast<int64_t>(size.list.size());
  if (!IsWideFloat(c.Input(0).dtype)) return Status(Code::kUnsupported, "theta must be floats");
  if ((rank != 4 && rank != 5) || theta.rank() != 3 || theta[0] != size.list[0] ||
      theta[1] != rank - 2 || theta[2] != rank - 1) {
    return Status::Of(Code::kShapeMismatch, "theta {} for a size of {} numbers", theta.ToString(),
                      rank);
  }
  const std::vector<int64_t> extents(size.list.begin() + 2, size.list.end());
  std::vector<int64_t> dims = {theta[0]};
  dims.insert(dims.end(), extents.begin(), extents.end());
  dims.push_back(rank - 2);
  FERRY_TRY(Shape::Make(dims));
  FERRY_ASSIGN_OR_RETURN(Tensor points, Points(extents, align != 0, c.Input(0).dtype));
  const ir::ValueId grid = c.Constant(std::move(points));
  const ir::ValueId turned = c.Transpose(c.In(0), {0, 2, 1});
  c.SetOutput(0, c.Reshape(c.Add("MatMul", {grid, turned}), dims));
  return OkStatus();
}

}  // namespace

extern const Op kAffineGridOp;
const Op kAffineGridOp = {
    .name = "AffineGrid",
    .min_inputs = 2,
    .max_inputs = 2,
    .min_outputs = 1,
    .max_outputs = 1,
    .expand = ExpandAffineGrid,
};

}  // namespace ferry::ops
