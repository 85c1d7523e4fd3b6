// Unsqueeze (ONNX): inserts axes of extent 1; axes count in the output.
#include <algorithm>

#include "device-runtime/ops/shared/places/view.h"

namespace ferry::ops {
namespace {

Status InferUnsqueeze(InferContext& c) {
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(auto given, c.IntsInput(1, "axes"));
  if (!given) return Status(Code::kBadModel, "no axes");
  const size_t rank = static_cast<size_t>(x.rank()) + given->size();
  if (rank > tensor::kMaxRank) return Status::Of(Code::kShapeMismatch, "a rank of {}", rank);
  FERRY_ASSIGN_OR_RETURN(std::vector<int> axes, NormalizeAxes(*given, static_cast<int>(rank)));
  std::vector<int64_t> dims;
  int next = 0;
  for (int axis = 0; axis < static_cast<int>(rank); ++axis) {
    dims.push_back(std::ranges::binary_search(axes, axis) ? 1 : x[next++]);
  }
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
  c.SetOutput(0, c.Input(0).dtype, shape);
  return OkStatus();
}

}  // namespace

extern const Op kUnsqueezeOp;
const Op kUnsqueezeOp = {"Unsqueeze", 1, 2, 1, 1, InferUnsqueeze, ReferenceView, LowerView};

}  // namespace ferry::ops
