// SequenceAt (ONNX): the item at a position; negative ones count from the end.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/sequence.h"

namespace ferry::ops {
namespace {

Status EvaluateSequenceAt(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(auto sequence, c.SequenceIn(0));
  FERRY_ASSIGN_OR_RETURN(size_t at, PositionIn(c, 1, sequence->items.size(), false, 0));
  c.SetOutput(0, sequence->items[at]);
  return OkStatus();
}

}  // namespace

extern const Op kSequenceAtOp;
const Op kSequenceAtOp = {.name = "SequenceAt",
                          .min_inputs = 2,
                          .max_inputs = 2,
                          .min_outputs = 1,
                          .max_outputs = 1,
                          .evaluate = EvaluateSequenceAt};

}  // namespace ferry::ops
