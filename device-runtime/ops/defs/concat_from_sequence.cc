// ConcatFromSequence (ONNX): the items joined along `axis`, which may be a new one.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/slab.h"

namespace ferry::ops {
namespace {

Status EvaluateConcatFromSequence(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(auto sequence, c.SequenceIn(0));
  FERRY_ASSIGN_OR_RETURN(const int64_t is_new, c.Int("new_axis", 0));
  if (!c.Has("axis")) return Status(Code::kBadModel, "attribute 'axis' is missing");
  if (sequence->items.empty()) return Status(Code::kShapeMismatch, "the sequence is empty");
  std::vector<Tensor> parts;
  int axis = 0;
  for (const Value& item : sequence->items) {
    if (!item.IsTensor()) return Status(Code::kShapeMismatch, "an item is no tensor");
    Tensor part = item.tensor();
    const int rank = part.shape().rank();
    FERRY_ASSIGN_OR_RETURN(axis, c.Axis(0, is_new != 0 ? rank + 1 : rank));
    if (is_new != 0) {
      std::vector<int64_t> dims(part.shape().dims().begin(), part.shape().dims().end());
      dims.insert(dims.begin() + axis, 1);
      FERRY_ASSIGN_OR_RETURN(Shape shape, Shape::Make(dims));
      FERRY_ASSIGN_OR_RETURN(part, part.Reshaped(shape));
    }
    parts.push_back(std::move(part));
  }
  FERRY_ASSIGN_OR_RETURN(Tensor all, Join(parts, axis, c.budget()));
  c.SetOutput(0, std::move(all));
  return OkStatus();
}

}  // namespace

extern const Op kConcatFromSequenceOp;
const Op kConcatFromSequenceOp = {.name = "ConcatFromSequence",
                                  .min_inputs = 1,
                                  .max_inputs = 1,
                                  .min_outputs = 1,
                                  .max_outputs = 1,
                                  .evaluate = EvaluateConcatFromSequence};

}  // namespace ferry::ops
