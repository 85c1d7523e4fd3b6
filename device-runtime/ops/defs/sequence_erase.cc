// SequenceErase (ONNX): a sequence without the item at a position, the last one by default.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/sequence.h"

namespace ferry::ops {
namespace {

Status EvaluateSequenceErase(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(auto given, c.SequenceIn(0));
  FERRY_ASSIGN_OR_RETURN(size_t at, PositionIn(c, 1, given->items.size(), false, -1));
  Sequence sequence = *given;
  sequence.items.erase(sequence.items.begin() + static_cast<int64_t>(at));
  c.SetOutput(0, std::move(sequence));
  return OkStatus();
}

}  // namespace

extern const Op kSequenceEraseOp;
const Op kSequenceEraseOp = {.name = "SequenceErase",
                             .min_inputs = 1,
                             .max_inputs = 2,
                             .min_outputs = 1,
                             .max_outputs = 1,
                             .evaluate = EvaluateSequenceErase};

}  // namespace ferry::ops
