// SequenceInsert (ONNX): a sequence with a tensor before a position, at the end by default.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/sequence.h"

namespace ferry::ops {
namespace {

Status EvaluateSequenceInsert(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(auto given, c.SequenceIn(0));
  FERRY_ASSIGN_OR_RETURN(Tensor item, c.TensorIn(1));
  const size_t count = given->items.size();
  FERRY_ASSIGN_OR_RETURN(size_t at, PositionIn(c, 2, count, true, static_cast<int64_t>(count)));
  if (item.dtype() != given->dtype) {
    return Status::Of(Code::kShapeMismatch, "{} for a sequence of {}", item.TypeText(),
                      tensor::DTypeName(given->dtype));
  }
  Sequence sequence = *given;
  sequence.items.insert(sequence.items.begin() + static_cast<int64_t>(at), std::move(item));
  c.SetOutput(0, std::move(sequence));
  return OkStatus();
}

}  // namespace

extern const Op kSequenceInsertOp;
const Op kSequenceInsertOp = {.name = "SequenceInsert",
                              .min_inputs = 2,
                              .max_inputs = 3,
                              .min_outputs = 1,
                              .max_outputs = 1,
                              .evaluate = EvaluateSequenceInsert};

}  // namespace ferry::ops
