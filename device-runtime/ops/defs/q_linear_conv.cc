// QLinearConv (ONNX): (x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias i32?). The
// weights' scale and zero point are one number or one an output channel.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/numbers/zero_point.h"
#include "device-runtime/ops/shared/parts/conv_integer.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

Status ExpandQLinearConv(ExpandContext& c) {
  const int rank = c.InputShape(3).rank();
  if (rank < 3) return Status::Of(Code::kShapeMismatch, "weights {}", c.InputShape(3).ToString());
  if (!IsByte(c.Input(7).dtype)) return Status(Code::kUnsupported, "output must be u8 or i8");
  for (int i : {1, 2, 6, 7}) {
    if (c.InputShape(i).elements() == 1) continue;
    return Status::Of(Code::kShapeMismatch, "input {} must be one number", i);
  }
  const ValueId sum = IntegerConv(c, 0, 3, 2, 5, c.In(8));
  const ValueId w_scale = c.Reshape(c.In(4), AlongAxis(c.InputShape(4), 1, rank));
  const ValueId factor = FactorOf(c, c.Reshape(c.In(1), {}), w_scale, c.Reshape(c.In(6), {}));
  c.SetOutput(0, Requantized(c, sum, factor, c.Reshape(c.In(7), {}), c.Input(7).dtype));
  return OkStatus();
}

}  // namespace

extern const Op kQLinearConvOp;
const Op kQLinearConvOp = {
    .name = "QLinearConv",
    .min_inputs = 8,
    .max_inputs = 9,
    .min_outputs = 1,
    .max_outputs = 1,
    .expand = ExpandQLinearConv,
};

}  // namespace ferry::ops
