// QLinearMatMul (ONNX): (a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero). Scales and zero
// points are one number, or one a row of a and y and one a column of b.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/numbers/zero_point.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

// Scale or zero point `i` so that it broadcasts to the product.
ValueId Laid(ExpandContext& c, int i, bool is_row) {
  const Shape& s = c.InputShape(i);
  if (s.elements() == 1) return c.Reshape(c.In(i), {});
  if (s.rank() != 1 || !is_row) return c.In(i);
  return c.Reshape(c.In(i), std::vector<int64_t>{s[0], 1});
}

Status ExpandQLinearMatMul(ExpandContext& c) {
  for (int i : {0, 2, 3, 5, 7}) {
    const bool is_byte = IsByte(c.Input(i).dtype);
    if (!is_byte) return Status::Of(Code::kUnsupported, "input {} must be u8 or i8", i);
  }
  const bool rows = c.InputShape(0).rank() > 1;
  const ValueId product = c.Add("MatMulInteger", {c.In(0), c.In(3), c.In(2), c.In(5)});
  const ValueId factor = FactorOf(c, Laid(c, 1, rows), Laid(c, 4, false), Laid(c, 6, rows));
  c.SetOutput(0, Requantized(c, product, factor, Laid(c, 7, rows), c.Input(7).dtype));
  return OkStatus();
}

}  // namespace

extern const Op kQLinearMatMulOp;
const Op kQLinearMatMulOp = {
    .name = "QLinearMatMul",
    .min_inputs = 8,
    .max_inputs = 8,
    .min_outputs = 1,
    .max_outputs = 1,
    .expand = ExpandQLinearMatMul,
};

}  // namespace ferry::ops
