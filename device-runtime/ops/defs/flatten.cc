// Flatten (ONNX): to a matrix, split at `axis`.
#include "device-runtime/ops/shared/places/view.h"

namespace ferry::ops {
namespace {

Status InferFlatten(InferContext& c) {
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(int64_t axis, c.Int("axis", 1));
  if (axis < -x.rank() || axis > x.rank()) {
    return Status::Of(Code::kShapeMismatch, "axis {} is outside {}", axis, x.ToString());
  }
  const int split = static_cast<int>(axis < 0 ? axis + x.rank() : axis);
  c.SetOutput(0, c.Input(0).dtype, {x.Product(0, split), x.Product(split, x.rank())});
  return OkStatus();
}

}  // namespace

extern const Op kFlattenOp;
const Op kFlattenOp = {"Flatten", 1, 1, 1, 1, InferFlatten, ReferenceView, LowerView};

}  // namespace ferry::ops
