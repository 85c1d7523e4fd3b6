// DynamicQuantizeLinear (ONNX): u8 by a scale and zero point that suit x, zero included.
#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status ExpandDynamicQuantizeLinear(ExpandContext& c) {
  if (c.Input(0).dtype != DType::kF32) return Status(Code::kUnsupported, "the input must be f32");
  const ValueId none = c.Number(DType::kF32, 0);
  const ValueId most = c.Number(DType::kF32, 255);
  const ValueId low =
      c.Add("Min", {c.Add("ReduceMin", {c.In(0)}, {{"keepdims", int64_t{0}}}), none});
  const ValueId high =
      c.Add("Max", {c.Add("ReduceMax", {c.In(0)}, {{"keepdims", int64_t{0}}}), none});
  const ValueId scale = c.Add("Div", {c.Add("Sub", {high, low}), most});
  const ValueId place = c.Add("Sub", {none, c.Add("Div", {low, scale})});
  const ValueId zero = c.Cast(c.Add("Round", {c.Add("Clip", {place, none, most})}), DType::kU8);
  c.SetOutput(0, c.Add("QuantizeLinear", {c.In(0), scale, zero}));
  c.SetOutput(1, scale);
  c.SetOutput(2, zero);
  return OkStatus();
}

}  // namespace

extern const Op kDynamicQuantizeLinearOp;
const Op kDynamicQuantizeLinearOp = {
    .name = "DynamicQuantizeLinear",
    .min_inputs = 1,
    .max_inputs = 1,
    .min_outputs = 3,
    .max_outputs = 3,
    .expand = ExpandDynamicQuantizeLinear,
};

}  // namespace ferry::ops
