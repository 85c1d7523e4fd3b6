// MaxUnpool (ONNX): puts the values that a MaxPool found back where its indices say; zero
// elsewhere. A larger output_shape adds zeros at the end of each axis.
#include "device-runtime/ops/defs/dtypes.h"
#include "device-runtime/ops/defs/window.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

struct Plan {
  Shape pooled;  // what the indices count through
  Shape out;
};

Result<Plan> PlanOf(const NodeContext& c) {
  const Shape& x = c.InputShape(0);
  if (x.rank() < 3 || c.InputShape(1) != x || c.Input(1).dtype != DType::kI64) {
    return Status::Of(Code::kShapeMismatch, "indices {} for {}", c.InputShape(1).ToString(),
                      x.ToString());
  }
  if (!IsWideFloat(c.Input(0).dtype) && !IsByte(c.Input(0).dtype)) {
    return Status::Of(Code::kUnsupported, "a pool of {}", tensor::DTypeName(c.Input(0).dtype));
  }
  const auto axes = static_cast<size_t>(x.rank() - 2);
  FERRY_ASSIGN_OR_RETURN(auto kernel, c.Ints("kernel_shape"));
  if (!kernel || kernel->size() != axes) return Status(Code::kBadModel, "no fitting kernel_shape");
  FERRY_ASSIGN_OR_RETURN(kernel.list, c.Window("kernel_shape", axes, 1, 1));
  FERRY_ASSIGN_OR_RETURN(auto strides, c.Window("strides", axes, 1, 1));
  FERRY_ASSIGN_OR_RETURN(auto pads, c.Window("pads", 2 * axes, 0, 0));
  std::vector<int64_t> dims = {x[0], x[1]};
  for (size_t i = 0; i < axes; ++i) {
    const int64_t in = x[static_cast<int>(i) + 2];
    if (in > tensor::kMaxElements / strides[i]) return Status(Code::kLimitExceeded, "strides");
    dims.push_back((in - 1) * strides[i] + kernel.list[i] - pads[i] - pads[axes + i]);
  }
  Plan p;
  FERRY_ASSIGN_OR_RETURN(p.pooled, Shape::Make(dims));
  p.out = p.pooled;
  if (!c.HasInput(2)) return p;
  FERRY_ASSIGN_OR_RETURN(const IntList shape, c.IntsInput(2, "output_shape"));
  FERRY_ASSIGN_OR_RETURN(p.out, Shape::Make(shape.list));
  if (p.out.rank() != x.rank()) {
    return Status::Of(Code::kShapeMismatch, "an output_shape of {}", p.out.ToString());
  }
  return p;
}

Status InferMaxUnpool(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  c.SetOutput(0, c.Input(0).dtype, p.out);
  return OkStatus();
}

Status ReferenceMaxUnpool(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(Plan p, PlanOf(c));
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) c.Out(0).SetNumber(i, 0);
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    const int64_t index = c.In(1).Integer(i);
    if (index < 0 || index >= p.pooled.elements()) {
      return Status::Of(Code::kInvalidArgument, "index {} is outside {}", index,
                        p.pooled.ToString());
    }
    const Index at = Unflatten(p.pooled, index);
    bool inside = true;
    for (int axis = 0; axis < p.out.rank(); ++axis) {
      inside = inside && at[static_cast<size_t>(axis)] < p.out[axis];
    }
    if (inside) CopyElement(c.In(0), i, c.Out(0), Flatten(p.out, at));
  }
  return OkStatus();
}

}  // namespace

extern const Op kMaxUnpoolOp;
const Op kMaxUnpoolOp = {"MaxUnpool", 2, 3, 1, 1, InferMaxUnpool, ReferenceMaxUnpool};

}  // namespace ferry::ops
