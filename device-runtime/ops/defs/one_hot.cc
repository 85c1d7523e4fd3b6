// OneHot (ONNX): values[1] at each index along a new axis of `depth`, values[0] elsewhere.
#include "device-runtime/ops/defs/exact.h"
#include "device-runtime/ops/defs/index.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status InferOneHot(InferContext& c) {
  const Shape& indices = c.InputShape(0);
  FERRY_TRY(CheckKinds(c, 0, Kinds::Number));
  FERRY_TRY(CheckKinds(c, 1, Kinds::Number));
  if (c.InputShape(1).elements() != 1 || c.InputShape(2).elements() != 2) {
    return Status(Code::kShapeMismatch, "needs one depth and two values");
  }
  FERRY_ASSIGN_OR_RETURN(const Tensor* depth, c.KnownInput(1));
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(-1, indices.rank() + 1));
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end());
  const double extent = depth->Number(0);
  if (!(extent >= 0 && extent <= static_cast<double>(tensor::kMaxElements))) {
    return Status::Of(Code::kShapeMismatch, "a depth of {}", extent);
  }
  dims.insert(dims.begin() + axis, static_cast<int64_t>(extent));
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.SetOutput(0, c.Input(2).dtype, shape);
  return OkStatus();
}

Status ReferenceOneHot(ReferenceContext& c) {
  Tensor& y = c.Out(0);
  const Tensor& indices = c.In(0);
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(-1, indices.shape().rank() + 1));
  const int64_t depth = y.shape()[axis];
  const bool wraps = c.version() >= 11;  // negative indices count from the end
  const int64_t inner = y.shape().Product(axis + 1, y.shape().rank());
  for (int64_t i = 0; i < y.elements(); ++i) CopyElement(c.In(2), 0, y, i);
  for (int64_t i = 0; i < indices.elements(); ++i) {
    const double number = indices.Number(i);
    if (!(std::abs(number) <= static_cast<double>(depth))) continue;
    auto hot = static_cast<int64_t>(number);
    if (hot >= depth || hot < (wraps ? -depth : 0)) continue;
    if (hot < 0) hot += depth;
    CopyElement(c.In(2), 1, y, (i / inner * depth + hot) * inner + i % inner);
  }
  return OkStatus();
}

}  // namespace

extern const Op kOneHotOp;
const Op kOneHotOp = {"OneHot", 3, 3, 1, 1, InferOneHot, ReferenceOneHot};

}  // namespace ferry::ops
