// QLinearAdd (domain com.microsoft, in the quantized files of ONNX's model zoo): (a, a_scale,
// a_zero, b, b_scale, b_zero, y_scale, y_zero), the sum of two quantized tensors, quantized again.
#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status ExpandQLinearAdd(ExpandContext& c) {
  const ValueId a = c.Add("DequantizeLinear", {c.In(0), c.In(1), c.In(2)});
  const ValueId b = c.Add("DequantizeLinear", {c.In(3), c.In(4), c.In(5)});
  const ValueId sum = c.Add("Add", {a, b});
  if (c.HasInput(7)) {
    c.SetOutput(0, c.Add("QuantizeLinear", {sum, c.In(6), c.In(7)}));
    return OkStatus();
  }
  FERRY_ASSIGN_OR_RETURN(Tensor zero, Tensor::Zeros(c.Input(0).dtype, {}));
  c.SetOutput(0,
              c.Add("QuantizeLinear", {sum, c.Reshape(c.In(6), {}), c.Constant(std::move(zero))}));
  return OkStatus();
}

}  // namespace

extern const Op kQLinearAddOp;
const Op kQLinearAddOp = {
    .name = "com.microsoft:QLinearAdd",
    .min_inputs = 7,
    .max_inputs = 8,
    .min_outputs = 1,
    .max_outputs = 1,
    .expand = ExpandQLinearAdd,
};

}  // namespace ferry::ops
