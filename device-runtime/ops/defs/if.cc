// If (ONNX): one of two bodies without inputs of their own.
#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status EvaluateIf(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(Tensor condition, c.TensorIn(0));
  if (condition.dtype() != DType::kBool || condition.elements() != 1) {
    return Status::Of(Code::kShapeMismatch, "the condition is {}, not one bool",
                      condition.TypeText());
  }
  const char* key = condition.Integer(0) != 0 ? "then_branch" : "else_branch";
  FERRY_ASSIGN_OR_RETURN(auto results, c.RunBody(key, {}));
  if (results.size() != c.outputs().size()) {
    return Status::Of(Code::kBadModel, "'{}' has {} outputs, the node {}", key, results.size(),
                      c.outputs().size());
  }
  c.outputs() = std::move(results);
  return OkStatus();
}

}  // namespace

extern const Op kIfOp;
const Op kIfOp = {.name = "If",
                  .min_inputs = 1,
                  .max_inputs = 1,
                  .min_outputs = 1,
                  .max_outputs = kAnyCount,
                  .evaluate = EvaluateIf};

}  // namespace ferry::ops
