// Trilu (ONNX): the upper or lower triangle of matrices from diagonal k on, 0 elsewhere.
#include <algorithm>

#include "device-runtime/ops/defs/exact.h"
#include "device-runtime/ops/defs/index.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status InferTrilu(InferContext& c) {
  if (c.InputShape(0).rank() < 2) {
    return Status::Of(Code::kShapeMismatch, "{} is no matrix", c.InputShape(0).ToString());
  }
  if (c.HasInput(1)) FERRY_TRY(CheckOneInteger(c, 1));
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceTrilu(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t upper, c.Int("upper", 1));
  // Far diagonals are all alike; the sums below stay small.
  const int64_t k =
      c.HasInput(1) ? std::clamp(c.In(1).Integer(0), -tensor::kMaxElements, tensor::kMaxElements)
                    : 0;
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const Tensor zero, Tensor::Zeros(c.Input(0).dtype, {}));
  for (int64_t i = 0; i < x.elements(); ++i) {
    const int64_t column = i % x[x.rank() - 1];
    const int64_t row = i / x[x.rank() - 1] % x[x.rank() - 2];
    const bool keeps = upper != 0 ? column >= row + k : column <= row + k;
    CopyElement(keeps ? c.In(0) : zero, keeps ? i : 0, c.Out(0), i);
  }
  return OkStatus();
}

}  // namespace

extern const Op kTriluOp;
const Op kTriluOp = {"Trilu", 1, 2, 1, 1, InferTrilu, ReferenceTrilu};

}  // namespace ferry::ops
