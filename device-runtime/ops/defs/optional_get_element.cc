// OptionalGetElement (ONNX): what an optional holds; of what is no optional (opset 18): itself.
#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status EvaluateOptionalGetElement(EvaluateContext& c) {
  if (!c.HasValue(0) || c.In(0).IsNothing()) {
    return Status(Code::kInvalidArgument, "the optional is empty");
  }
  c.SetOutput(0, c.In(0));
  return OkStatus();
}

}  // namespace

extern const Op kOptionalGetElementOp;
const Op kOptionalGetElementOp = {.name = "OptionalGetElement",
                                  .min_inputs = 1,
                                  .max_inputs = 1,
                                  .min_outputs = 1,
                                  .max_outputs = 1,
                                  .evaluate = EvaluateOptionalGetElement};

}  // namespace ferry::ops
