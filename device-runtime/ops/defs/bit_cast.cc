// BitCast (ONNX): the bits of each element read as another dtype of the same width. Any byte that
// is not 0 becomes a true bool.
#include "device-runtime/ops/defs/view.h"
#include "device-runtime/ops/onnx_types.h"

namespace ferry::ops {
namespace {

int BitsOf(DType d) {
  if (tensor::IsInteger(d)) return tensor::IntegerBits(d);
  return d == DType::kF4E2M1 ? 4 : static_cast<int>(8 * tensor::DTypeSize(d));
}

Status InferBitCast(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t number, c.Int("to", 0));
  FERRY_ASSIGN_OR_RETURN(const DType to, DTypeOfOnnx(number));
  const DType from = c.Input(0).dtype;
  if (from == DType::kString || to == DType::kString || BitsOf(from) != BitsOf(to)) {
    return Status::Of(Code::kShapeMismatch, "{} is not as wide as {}", tensor::DTypeName(to),
                      tensor::DTypeName(from));
  }
  c.SetOutput(0, to, c.InputShape(0));
  return OkStatus();
}

// Whether some bytes are no element of the dtype.
bool IsPartial(DType d) {
  return d == DType::kBool || BitsOf(d) < 8;
}

Status ReferenceBitCast(ReferenceContext& c) {
  Tensor& y = c.Out(0);
  CopyAll(c.In(0), y);
  if (!IsPartial(y.dtype())) return OkStatus();
  const bool is_float = y.dtype() == DType::kF4E2M1;
  for (int64_t i = 0; i < y.elements(); ++i) {
    uint8_t& byte = y.mutable_raw()[i];
    if (is_float) {
      byte &= 15;
    } else {
      y.SetInteger(i, byte);
    }
  }
  return OkStatus();
}

Status LowerBitCast(LowerContext& c) {
  if (!IsPartial(c.OutputInfo(0).dtype)) return LowerSame(c);
  c.EmitCall();
  return OkStatus();
}

}  // namespace

extern const Op kBitCastOp;
const Op kBitCastOp = {"BitCast", 1, 1, 1, 1, InferBitCast, ReferenceBitCast, LowerBitCast};

}  // namespace ferry::ops
