// MatMulInteger (ONNX): products of u8 or i8 less their zero points, in i32. a's zero point is one
// number or one a row ([m] or [..,m,1]), b's one number or one a column ([n] or [..,1,n]).
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/numbers/zero_point.h"

namespace ferry::ops {
namespace {

// The dims under which zero point `i` broadcasts to operand `of`.
std::vector<int64_t> ZeroPointDims(const ExpandContext& c, int i, int of) {
  if (!c.HasInput(i) || c.InputShape(i).elements() == 1) return {};
  const Shape& s = c.InputShape(i);
  std::vector<int64_t> dims(s.dims().begin(), s.dims().end());
  if (s.rank() == 1 && of == 0 && c.InputShape(0).rank() > 1) dims.push_back(1);
  return dims;
}

Status ExpandMatMulInteger(ExpandContext& c) {
  for (int i = 0; i < c.input_count(); ++i) {
    if (!c.HasInput(i)) continue;
    if (!IsByte(c.Input(i).dtype)) return Status(Code::kUnsupported, "inputs must be u8 or i8");
    if (i >= 2 && c.Input(i).dtype != c.Input(i - 2).dtype) {
      return Status(Code::kShapeMismatch, "a zero point has another dtype than its operand");
    }
  }
  const ir::ValueId a = Centred(c, c.In(0), c.In(2), ZeroPointDims(c, 2, 0));
  const ir::ValueId b = Centred(c, c.In(1), c.In(3), ZeroPointDims(c, 3, 1));
  c.SetOutput(0, c.Add("MatMul", {a, b}));
  return OkStatus();
}

}  // namespace

extern const Op kMatMulIntegerOp;
const Op kMatMulIntegerOp = {
    .name = "MatMulInteger",
    .min_inputs = 2,
    .max_inputs = 4,
    .min_outputs = 1,
    .max_outputs = 1,
    .expand = ExpandMatMulInteger,
};

}  // namespace ferry::ops
