// ReverseSequence (ONNX): the first `length` elements of the time axis in reverse, with a length
// for each entry of the batch axis.
#include "device-runtime/ops/defs/indices.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

struct Axes {
  size_t time, batch;
};

Result<Axes> AxesOf(const NodeContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t time, c.Int("time_axis", 0));
  FERRY_ASSIGN_OR_RETURN(const int64_t batch, c.Int("batch_axis", 1));
  const Shape& x = c.InputShape(0);
  FERRY_ASSIGN_OR_RETURN(const int time_axis, tensor::NormalizeAxis(time, x.rank()));
  FERRY_ASSIGN_OR_RETURN(const int batch_axis, tensor::NormalizeAxis(batch, x.rank()));
  if (time_axis == batch_axis) return Status(Code::kShapeMismatch, "both axes are the same");
  if (c.InputShape(1).rank() != 1 || c.InputShape(1)[0] != x[batch_axis]) {
    return Status::Of(Code::kShapeMismatch, "lengths {} for axis {} of {}",
                      c.InputShape(1).ToString(), batch_axis, x.ToString());
  }
  return Axes{static_cast<size_t>(time_axis), static_cast<size_t>(batch_axis)};
}

Status InferReverseSequence(InferContext& c) {
  FERRY_TRY(CheckIndices(c, 1));
  FERRY_TRY(AxesOf(c));
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceReverseSequence(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Axes axes, AxesOf(c));
  const Shape& x = c.InputShape(0);
  const int64_t extent = x[static_cast<int>(axes.time)];
  for (int64_t i = 0; i < x.elements(); ++i) {
    Index at = Unflatten(x, i);
    const int64_t length = c.In(1).Integer(at[axes.batch]);
    if (length < 0 || length > extent) {
      return Status::Of(Code::kInvalidArgument, "a length of {} along an extent of {}", length,
                        extent);
    }
    if (at[axes.time] < length) at[axes.time] = length - 1 - at[axes.time];
    CopyElement(c.In(0), Flatten(x, at), c.Out(0), i);
  }
  return OkStatus();
}

}  // namespace

extern const Op kReverseSequenceOp;
const Op kReverseSequenceOp = {"ReverseSequence",       2, 2, 1, 1, InferReverseSequence,
                               ReferenceReverseSequence};

}  // namespace ferry::ops
