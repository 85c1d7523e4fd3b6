// ConvInteger (ONNX): a convolution of u8 or i8 less their zero points, in i32. The weights' zero
// point is one number or one an output channel; padding counts as the input's zero point.
#include "device-runtime/ops/shared/parts/conv_integer.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status ExpandConvInteger(ExpandContext& c) {
  c.SetOutput(0, IntegerConv(c, 0, 1, 2, 3, ir::kNoValue));
  return OkStatus();
}

}  // namespace

extern const Op kConvIntegerOp;
const Op kConvIntegerOp = {
    .name = "ConvInteger",
    .min_inputs = 2,
    .max_inputs = 4,
    .min_outputs = 1,
    .max_outputs = 1,
    .expand = ExpandConvInteger,
};

}  // namespace ferry::ops
