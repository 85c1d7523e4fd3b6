// SplitToSequence (ONNX): a tensor cut along `axis` into pieces of given lengths, of one length
// (the last may be shorter), or of one each.
#include <algorithm>

#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/slab.h"

namespace ferry::ops {
namespace {

// The lengths of the pieces; `each` of them when there is no list.
struct Cut {
  std::vector<int64_t> lengths;
  int64_t each = 1;
};

Result<Cut> CutOf(const EvaluateContext& c, int64_t extent) {
  Cut cut;
  if (!c.HasValue(1)) return cut;
  FERRY_ASSIGN_OR_RETURN(Tensor split, c.TensorIn(1));
  if (split.dtype() != DType::kI64 && split.dtype() != DType::kI32) {
    return Status::Of(Code::kShapeMismatch, "lengths are {}", split.TypeText());
  }
  if (split.shape().rank() == 0) {
    cut.each = split.Integer(0);
    if (cut.each >= 1) return cut;
    return Status::Of(Code::kInvalidArgument, "pieces of {}", cut.each);
  }
  int64_t left = extent;
  for (int64_t i = 0; i < split.elements(); ++i) {
    const int64_t length = split.Integer(i);
    if (length < 0 || length > left) left = -1;
    if (left < 0) break;
    left -= length;
    cut.lengths.push_back(length);
  }
  if (left != 0) {
    return Status::Of(Code::kInvalidArgument, "the lengths do not add up to {}", extent);
  }
  cut.each = 0;
  return cut;
}

Status EvaluateSplitToSequence(EvaluateContext& c) {
  FERRY_ASSIGN_OR_RETURN(Tensor x, c.TensorIn(0));
  FERRY_ASSIGN_OR_RETURN(int axis, c.Axis(0, x.shape().rank()));
  FERRY_ASSIGN_OR_RETURN(int64_t keep, c.Int("keepdims", 1));
  const int64_t extent = x.shape()[axis];
  FERRY_ASSIGN_OR_RETURN(Cut cut, CutOf(c, extent));
  if (c.HasValue(1)) keep = 1;
  Sequence sequence{x.dtype(), {}};
  int64_t at = 0;
  for (size_t i = 0; cut.each > 0 ? at < extent : i < cut.lengths.size(); ++i) {
    const int64_t length = cut.each > 0 ? std::min(cut.each, extent - at) : cut.lengths[i];
    FERRY_ASSIGN_OR_RETURN(Tensor piece, Slab(x, axis, at, length, keep != 0, c.budget()));
    sequence.items.emplace_back(std::move(piece));
    at += length;
  }
  c.SetOutput(0, std::move(sequence));
  return OkStatus();
}

}  // namespace

extern const Op kSplitToSequenceOp;
const Op kSplitToSequenceOp = {.name = "SplitToSequence",
                               .min_inputs = 1,
                               .max_inputs = 2,
                               .min_outputs = 1,
                               .max_outputs = 1,
                               .evaluate = EvaluateSplitToSequence};

}  // namespace ferry::ops
