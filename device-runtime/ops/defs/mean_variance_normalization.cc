// MeanVarianceNormalization (ONNX): (x - mean) / (deviation + 1e-9) over `axes`.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status ExpandMeanVarianceNormalization(ExpandContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0}));
  FERRY_ASSIGN_OR_RETURN(IntList axes, c.NodeContext::Ints("axes"));
  if (!axes) axes = IntList({0, 2, 3});
  FERRY_TRY(NormalizeAxes(*axes, c.InputShape(0).rank()));
  const DType dtype = c.Input(0).dtype;
  const ValueId x = c.Cast(c.In(0), WideFloat(dtype));
  // No axes at all mean all of them, as in the reductions of ONNX.
  const std::vector<int64_t> over = axes->empty() ? AxesBetween(0, c.InputShape(0).rank()) : *axes;
  const ValueId centred = c.Add("Sub", {x, MeanOver(c, x, over)});
  const ValueId deviation = c.Add("Sqrt", {MeanOver(c, c.Add("Mul", {centred, centred}), over)});
  const ValueId divisor = c.Add("Add", {deviation, c.Number(c.TypeOf(x), 1e-9)});
  c.SetOutput(0, c.Cast(c.Add("Div", {centred, divisor}), dtype));
  return OkStatus();
}

}  // namespace

extern const Op kMeanVarianceNormalizationOp;
const Op kMeanVarianceNormalizationOp = {.name = "MeanVarianceNormalization",
                                         .min_inputs = 1,
                                         .max_inputs = 1,
                                         .min_outputs = 1,
                                         .max_outputs = 1,
                                         .expand = ExpandMeanVarianceNormalization};

}  // namespace ferry::ops
