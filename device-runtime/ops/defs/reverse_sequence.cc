// ReverseSequence (ONNX): the first `length` elements of the time axis in reverse, with a length
// for each entry of the batch axis.
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/grid.h"
#include "device-runtime/ops/shared/places/indices.h"

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

// For each entry of the batch and time the time to read; outside where a length is.
Result<BufferId> TimesOf(LowerContext& c, int64_t batch, int64_t extent) {
  FERRY_ASSIGN_OR_RETURN(const BufferId counting, Counting(c, extent));
  FERRY_ASSIGN_OR_RETURN(const Shape shape, Shape::Make(std::array{batch, extent}));
  const auto wide = ir::MapType::kI64;
  MapBuilder map(c, shape, Layout::kPlain);
  const auto time = map.Buffer(counting, DType::kI64, tensor::Strides{0, 1});
  const auto length =
      map.Convert(map.Buffer(c.In(1), c.Input(1).dtype, tensor::Strides{1, 0}), wide);
  const auto back = map.Call("Sub", map.Call("Sub", length, map.Integer(wide, 1)), time);
  const auto from = map.Call("Select", map.Call("Less", time, length), back, time);
  const auto bad = map.Call("Or", map.Call("Less", length, map.Integer(wide, 0)),
                            map.Call("Less", map.Integer(wide, extent), length));
  return map.EmitNew(DType::kI64, map.Call("Select", bad, map.Integer(wide, extent), from));
}

Status LowerReverseSequence(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const Axes axes, AxesOf(c));
  const Shape& x = c.InputShape(0);
  const int64_t extent = x[static_cast<int>(axes.time)];
  FERRY_ASSIGN_OR_RETURN(const BufferId times, TimesOf(c, x[static_cast<int>(axes.batch)], extent));
  const tensor::Strides strides = tensor::DenseStrides(x);
  ir::IndexGrid grid;
  grid.depth = 1;
  grid.rank = static_cast<int>(std::max(axes.time, axes.batch)) + 1;
  grid.inner = x.Product(grid.rank, x.rank());
  for (size_t axis = 0; axis < static_cast<size_t>(grid.rank); ++axis) {
    grid.size[axis] = x[static_cast<int>(axis)];
    grid.data_stride[axis] = axis == axes.time ? 0 : strides[axis];
  }
  grid.index_stride[axes.batch] = extent;
  grid.index_stride[axes.time] = 1;
  grid.extent = {extent};
  grid.extent_stride = {strides[axes.time]};
  const BufferId in = c.In(0);
  c.Emit(ir::GatherPrim{grid}, {in, times}, c.Out(0));
  return OkStatus();
}

}  // namespace

extern const Op kReverseSequenceOp;
const Op kReverseSequenceOp = {
    "ReverseSequence",   2, 2, 1, 1, InferReverseSequence, ReferenceReverseSequence,
    LowerReverseSequence};

}  // namespace ferry::ops
