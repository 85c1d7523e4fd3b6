// GlobalLpPool (ONNX): (sum |x|^p)^(1/p) over all positions of a channel.
#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/reductions/norm.h"

namespace ferry::ops {
namespace {

Status ExpandGlobalLpPool(ExpandContext& c) {
  const Shape& x = c.InputShape(0);
  if (x.rank() < 3) return Status::Of(Code::kShapeMismatch, "{} has no positions", x.ToString());
  if (!IsWideFloat(c.Input(0).dtype)) {
    return Status::Of(Code::kUnsupported, "a pool of {}", tensor::DTypeName(c.Input(0).dtype));
  }
  FERRY_ASSIGN_OR_RETURN(const double p, NormOrder(c));
  std::vector<int64_t> list;
  for (int axis = 2; axis < x.rank(); ++axis) list.push_back(axis);
  const ir::ValueId axes = c.Ints(list);
  if (p == 1 || p == 2) {
    c.SetOutput(0, c.Add(p == 1 ? "ReduceL1" : "ReduceL2", {c.In(0), axes}));
    return OkStatus();
  }
  // In f32 at least: powers of half precision overflow.
  const DType dtype = c.Input(0).dtype;
  const DType wide = dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  const ir::ValueId size = c.Add("Abs", {c.Cast(c.In(0), wide)});
  const ir::ValueId powers = c.Add("Pow", {size, c.Number(wide, p)});
  const ir::ValueId sum = c.Add("ReduceSum", {powers, axes});
  c.SetOutput(0, c.Cast(c.Add("Pow", {sum, c.Number(wide, 1 / p)}), dtype));
  return OkStatus();
}

}  // namespace

extern const Op kGlobalLpPoolOp;
const Op kGlobalLpPoolOp = {
    .name = "GlobalLpPool",
    .min_inputs = 1,
    .max_inputs = 1,
    .min_outputs = 1,
    .max_outputs = 1,
    .expand = ExpandGlobalLpPool,
};

}  // namespace ferry::ops
