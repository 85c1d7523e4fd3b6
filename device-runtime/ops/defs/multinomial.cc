// Multinomial (ONNX): for each row of unnormalised log-probabilities, `sample_size` classes drawn
// with replacement.
#include <algorithm>
#include <cmath>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/philox.h"

namespace ferry::ops {
namespace {

Status InferMultinomial(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(int64_t number, c.Int("dtype", OnnxOfDType(DType::kI32)));
  FERRY_ASSIGN_OR_RETURN(DType dtype, DTypeOfOnnx(number));
  FERRY_ASSIGN_OR_RETURN(int64_t samples, c.Int("sample_size", 1));
  const Shape& x = c.InputShape(0);
  if (!tensor::IsFloat(c.Input(0).dtype) || x.rank() != 2 || (x[1] == 0 && x[0] > 0) ||
      (dtype != DType::kI32 && dtype != DType::kI64)) {
    return Status::Of(Code::kShapeMismatch, "{} samples of type {} from {}", samples,
                      tensor::DTypeName(dtype), x.ToString());
  }
  FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(std::vector<int64_t>{x[0], samples}));
  c.SetOutput(0, dtype, shape);
  return OkStatus();
}

Status ReferenceMultinomial(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Philox random, Philox::Of(c));
  const Tensor& x = c.In(0);
  const int64_t classes = x.shape()[1];
  const int64_t samples = c.Out(0).shape()[1];
  std::vector<double> sums(static_cast<size_t>(classes));
  for (int64_t row = 0; row < x.shape()[0]; ++row) {
    double most = -INFINITY;
    for (int64_t k = 0; k < classes; ++k) most = std::max(most, x.Number(row * classes + k));
    double sum = 0;
    for (int64_t k = 0; k < classes; ++k) {
      sum += std::exp(x.Number(row * classes + k) - most);
      sums[static_cast<size_t>(k)] = sum;
    }
    if (!(sum > 0) || !std::isfinite(sum)) {
      return Status::Of(Code::kInvalidArgument, "row {} holds no probabilities", row);
    }
    for (int64_t i = row * samples; i < (row + 1) * samples; ++i) {
      const double u = random.Uniform(static_cast<uint64_t>(i)) * sum;
      const auto at = std::ranges::upper_bound(sums, u) - sums.begin();
      c.Out(0).SetInteger(i, std::min<int64_t>(at, classes - 1));
    }
  }
  return OkStatus();
}

Status LowerMultinomial(LowerContext& c) {
  c.ComputeInFloat();
  ir::RandomPrim prim;
  prim.kind = ir::RandomKind::kMultinomial;
  FERRY_ASSIGN_OR_RETURN(prim.key, Philox::KeyOf(c));
  prim.rows = c.InputShape(0)[0];
  prim.classes = c.InputShape(0)[1];
  prim.samples = c.OutputShape(0)[1];
  const BufferId x = c.In(0);
  c.Emit(prim, {x}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kMultinomialOp;
const Op kMultinomialOp = {.name = "Multinomial",
                           .min_inputs = 1,
                           .max_inputs = 1,
                           .min_outputs = 1,
                           .max_outputs = 1,
                           .infer = InferMultinomial,
                           .reference = ReferenceMultinomial,
                           .lower = LowerMultinomial,
                           .is_pure = false};

}  // namespace ferry::ops
