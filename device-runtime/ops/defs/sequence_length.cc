// SequenceLength (ONNX): how many items a sequence has.
#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status EvaluateSequenceLength(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(auto sequence, c.SequenceIn(0));
  FERRY_ASSIGN_OR_RETURN(Tensor count, c.Allocate(DType::kI64, {}));
  count.SetInteger(0, static_cast<int64_t>(sequence->items.size()));
  c.SetOutput(0, std::move(count));
  return OkStatus();
}

}  // namespace

extern const Op kSequenceLengthOp;
const Op kSequenceLengthOp = {.name = "SequenceLength",
                              .min_inputs = 1,
                              .max_inputs = 1,
                              .min_outputs = 1,
                              .max_outputs = 1,
                              .evaluate = EvaluateSequenceLength};

}  // namespace ferry::ops
