// SequenceConstruct (ONNX): a sequence of the inputs.
#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status EvaluateSequenceConstruct(EvaluateContext& c) {
  Sequence sequence;
  for (int i = 0; i < c.node().formal_inputs(); ++i) {
    FERRY_ASSIGN_OR_RETURN(Tensor item, c.TensorIn(i));
    if (i == 0) sequence.dtype = item.dtype();
    if (item.dtype() != sequence.dtype) {
      return Status::Of(Code::kShapeMismatch, "{} among {}", item.TypeText(),
                        tensor::DTypeName(sequence.dtype));
    }
    sequence.items.emplace_back(std::move(item));
  }
  c.SetOutput(0, std::move(sequence));
  return OkStatus();
}

}  // namespace

extern const Op kSequenceConstructOp;
const Op kSequenceConstructOp = {.name = "SequenceConstruct",
                                 .min_inputs = 1,
                                 .max_inputs = kAnyCount,
                                 .min_outputs = 1,
                                 .max_outputs = 1,
                                 .evaluate = EvaluateSequenceConstruct};

}  // namespace ferry::ops
