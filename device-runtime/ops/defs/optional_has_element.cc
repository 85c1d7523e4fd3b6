// OptionalHasElement (ONNX): whether there is something; a left-out input is nothing.
#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status EvaluateOptionalHasElement(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(Tensor has, c.Allocate(DType::kBool, {}));
  has.SetInteger(0, c.HasValue(0) && !c.In(0).IsNothing() ? 1 : 0);
  c.SetOutput(0, std::move(has));
  return OkStatus();
}

}  // namespace

extern const Op kOptionalHasElementOp;
const Op kOptionalHasElementOp = {.name = "OptionalHasElement",
                                  .min_inputs = 0,
                                  .max_inputs = 1,
                                  .min_outputs = 1,
                                  .max_outputs = 1,
                                  .evaluate = EvaluateOptionalHasElement};

}  // namespace ferry::ops
