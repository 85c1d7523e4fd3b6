// Squeeze (ONNX): drops axes of extent 1 (all of them, or those named).
#include <algorithm>

#include "device-runtime/ops/shared/places/view.h"

namespace ferry::ops {
namespace {

Status InferSqueeze(InferContext& c) {
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(auto given, c.IntsInput(1, "axes"));
  std::vector<int> axes;
  if (given) {
    FERRY_ASSIGN_OR_RETURN(axes, NormalizeAxes(*given, x.rank()));
  }
  std::vector<int64_t> dims;
  for (int axis = 0; axis < x.rank(); ++axis) {
    const bool named = std::ranges::binary_search(axes, axis);
    if (named && x[axis] != 1) {
      return Status::Of(Code::kShapeMismatch, "axis {} of {} is not 1", axis, x.ToString());
    }
    const bool drop = given ? named : x[axis] == 1;
    if (!drop) dims.push_back(x[axis]);
  }
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

}  // namespace

extern const Op kSqueezeOp;
const Op kSqueezeOp = {"Squeeze", 1, 2, 1, 1, InferSqueeze, ReferenceView, LowerView};

}  // namespace ferry::ops
