// Hardmax (ONNX): 1 at the first greatest element of an axis, 0 elsewhere. Before opset 13 the axes
// from `axis` on count as one.
#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"

namespace ferry::ops {
namespace {

Status ExpandHardmax(ExpandContext& c) {
  FERRY_TRY(CheckKinds(c, 0, Kinds::Float));
  const Shape x = c.InputShape(0);
  const bool flattens = c.version() < 13;
  if (x.elements() == 0) {
    c.SetOutput(0, c.Add("Identity", {c.In(0)}));
    return OkStatus();
  }
  FERRY_ASSIGN_OR_RETURN(int64_t axis, c.Int("axis", flattens ? 1 : -1));
  ir::ValueId rows = c.In(0);
  if (flattens) {
    rows = c.Add("Flatten", {rows}, {{"axis", axis}});
    axis = 1;
  }
  FERRY_ASSIGN_OR_RETURN(const int at, tensor::NormalizeAxis(axis, c.ShapeOf(rows).rank()));
  const int64_t size = c.ShapeOf(rows)[at];
  const ir::ValueId index =
      c.Add("ArgMax", {rows}, {{"axis", static_cast<int64_t>(at)}, {"keepdims", int64_t{0}}});
  FERRY_ASSIGN_OR_RETURN(Tensor values, Tensor::Zeros(c.Input(0).dtype, {2}));
  values.SetNumber(1, 1);
  const ir::ValueId hot = c.Add("OneHot", {index, c.Ints({size}), c.Constant(std::move(values))},
                                {{"axis", static_cast<int64_t>(at)}});
  c.SetOutput(0, flattens ? c.Reshape(hot, x.dims()) : hot);
  return OkStatus();
}

}  // namespace

extern const Op kHardmaxOp;
const Op kHardmaxOp = {.name = "Hardmax",
                       .min_inputs = 1,
                       .max_inputs = 1,
                       .min_outputs = 1,
                       .max_outputs = 1,
                       .expand = ExpandHardmax};

}  // namespace ferry::ops
