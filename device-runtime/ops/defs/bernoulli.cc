// Bernoulli (ONNX): 1 with the probability that the input tells, else 0.
#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status ExpandBernoulli(ExpandContext& c) {
  const DType given = c.Input(0).dtype;
  if (!tensor::IsFloat(given)) return Status(Code::kShapeMismatch, "probabilities must be floats");
  FERRY_ASSIGN_OR_RETURN(int64_t number, c.Int("dtype", OnnxOfDType(given)));
  FERRY_ASSIGN_OR_RETURN(DType dtype, DTypeOfOnnx(number));
  FERRY_ASSIGN_OR_RETURN(float seed, c.Float("seed", 0));
  // Numbers of few bits would make 1 too rare or too frequent.
  const DType exact = given == DType::kF64 ? DType::kF64 : DType::kF32;
  const ir::ValueId p = c.Cast(c.In(0), exact);
  const ir::ValueId u = c.Has("seed") ? c.Add("RandomUniformLike", {p}, {{"seed", seed}})
                                      : c.Add("RandomUniformLike", {p});
  c.SetOutput(0, c.Cast(c.Add("Less", {u, p}), dtype));
  return OkStatus();
}

}  // namespace

extern const Op kBernoulliOp;
const Op kBernoulliOp = {.name = "Bernoulli",
                         .min_inputs = 1,
                         .max_inputs = 1,
                         .min_outputs = 1,
                         .max_outputs = 1,
                         .expand = ExpandBernoulli,
                         .is_pure = false};

}  // namespace ferry::ops
