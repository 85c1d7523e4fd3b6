// LpNormalization (ONNX): x divided by its 1-norm or 2-norm along `axis`; zeros stay zeros.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status ExpandLpNormalization(ExpandContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0}));
  FERRY_ASSIGN_OR_RETURN(const int axis, c.Axis(-1, c.InputShape(0).rank()));
  FERRY_ASSIGN_OR_RETURN(const int64_t p, c.Int("p", 2));
  if (p != 1 && p != 2) return Status::Of(Code::kBadModel, "p is {}, not 1 or 2", p);
  const DType dtype = c.Input(0).dtype;
  const ValueId x = c.Cast(c.In(0), WideFloat(dtype));
  const ValueId norm = c.Add(p == 1 ? "ReduceL1" : "ReduceL2", {x, c.Ints({axis})});
  // A norm of 0 is one of zeros alone: divided by 1 they stay what they are.
  const ValueId is_zero = c.Add("Equal", {norm, c.Number(c.TypeOf(x), 0)});
  const ValueId divisor = c.Add("Where", {is_zero, c.Number(c.TypeOf(x), 1), norm});
  c.SetOutput(0, c.Cast(c.Add("Div", {x, divisor}), dtype));
  return OkStatus();
}

}  // namespace

extern const Op kLpNormalizationOp;
const Op kLpNormalizationOp = {.name = "LpNormalization",
                               .min_inputs = 1,
                               .max_inputs = 1,
                               .min_outputs = 1,
                               .max_outputs = 1,
                               .expand = ExpandLpNormalization};

}  // namespace ferry::ops
