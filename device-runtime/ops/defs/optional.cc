// Optional (ONNX): its input, or nothing of attribute `type`.
#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status EvaluateOptional(EvaluateContext& c) {
  c.SetOutput(0, c.HasValue(0) ? c.In(0) : Value());
  return OkStatus();
}

}  // namespace

extern const Op kOptionalOp;
const Op kOptionalOp = {.name = "Optional",
                        .min_inputs = 0,
                        .max_inputs = 1,
                        .min_outputs = 1,
                        .max_outputs = 1,
                        .evaluate = EvaluateOptional};

}  // namespace ferry::ops
