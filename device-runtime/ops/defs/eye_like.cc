// EyeLike (ONNX): ones on diagonal `k` of a matrix of the input's shape.
#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

Status InferEyeLike(InferContext& c) {
  if (c.InputShape(0).rank() != 2) {
    return Status::Of(Code::kShapeMismatch, "{} is no matrix", c.InputShape(0).ToString());
  }
  DType dtype = c.Input(0).dtype;
  if (c.Has("dtype")) {
    FERRY_ASSIGN_OR_RETURN(const int64_t number, c.Int("dtype", 0));
    FERRY_ASSIGN_OR_RETURN(dtype, DTypeOfOnnx(number));
  }
  if (dtype == DType::kString) return Status(Code::kShapeMismatch, "strings have no one");
  c.SetOutput(0, dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceEyeLike(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t k, c.Int("k", 0));
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    const Index at = Unflatten(c.Out(0).shape(), i);
    c.Out(0).SetNumber(i, at[1] - at[0] == k ? 1 : 0);
  }
  return OkStatus();
}

// Zeros, and a one copied along the diagonal.
Status LowerEyeLike(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t k, c.Int("k", 0));
  const int64_t rows = c.OutputShape(0)[0], columns = c.OutputShape(0)[1];
  FERRY_ASSIGN_OR_RETURN(Tensor one, Tensor::Zeros(c.OutputInfo(0).dtype, {}));
  one.SetNumber(0, 1);
  ir::RasterPrim raster;
  raster.fill = 0;
  const bool inside = k > -rows && k < columns;
  const int64_t row = inside ? std::max<int64_t>(-k, 0) : 0;
  const int64_t column = inside ? std::max<int64_t>(k, 0) : 0;
  ir::Region region;
  region.rank = 1;
  region.size[0] = inside ? std::min(rows - row, columns - column) : 0;
  region.to_stride[0] = columns + 1;
  region.to = inside ? row * columns + column : 0;
  raster.copies.push_back({0, region});
  const BufferId number = c.Constant(std::move(one));
  c.Emit(std::move(raster), {number}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kEyeLikeOp;
const Op kEyeLikeOp = {"EyeLike", 1, 1, 1, 1, InferEyeLike, ReferenceEyeLike, LowerEyeLike};

}  // namespace ferry::ops
