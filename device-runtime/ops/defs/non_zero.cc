// NonZero (ONNX): the coordinates of elements that are not 0, as [rank, count], in row-major order.
#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

bool IsZero(const Tensor& x, int64_t i) {
  if (x.dtype() == DType::kString) return x.Text(i).empty();
  return tensor::IsFloat(x.dtype()) ? x.Number(i) == 0 : x.Integer(i) == 0;
}

Status EvaluateNonZero(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Tensor x, c.TensorIn(0));
  const int rank = x.shape().rank();
  int64_t count = 0;
  for (int64_t i = 0; i < x.elements(); ++i) count += IsZero(x, i) ? 0 : 1;
  FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::array<int64_t, 2>{rank, count}));
  FERRY_ASSIGN_OR_RETURN(Tensor y, c.Allocate(DType::kI64, shape));
  int64_t found = 0;
  for (int64_t i = 0; i < x.elements(); ++i) {
    if (IsZero(x, i)) continue;
    const Index at = Unflatten(x.shape(), i);
    for (int axis = 0; axis < rank; ++axis) {
      y.SetInteger(axis * count + found, at[static_cast<size_t>(axis)]);
    }
    ++found;
  }
  c.SetOutput(0, std::move(y));
  return OkStatus();
}

}  // namespace

extern const Op kNonZeroOp;
const Op kNonZeroOp = {.name = "NonZero",
                       .min_inputs = 1,
                       .max_inputs = 1,
                       .min_outputs = 1,
                       .max_outputs = 1,
                       .evaluate = EvaluateNonZero};

}  // namespace ferry::ops
