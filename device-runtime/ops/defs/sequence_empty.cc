// SequenceEmpty (ONNX): a sequence without items, of attribute `dtype` (f32).
#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status EvaluateSequenceEmpty(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(int64_t number, c.Int("dtype", OnnxOfDType(DType::kF32)));
  FERRY_ASSIGN_OR_RETURN(DType dtype, DTypeOfOnnx(number));
  c.SetOutput(0, Sequence{dtype, {}});
  return OkStatus();
}

}  // namespace

extern const Op kSequenceEmptyOp;
const Op kSequenceEmptyOp = {.name = "SequenceEmpty",
                             .min_inputs = 0,
                             .max_inputs = 0,
                             .min_outputs = 1,
                             .max_outputs = 1,
                             .evaluate = EvaluateSequenceEmpty};

}  // namespace ferry::ops
