// BitCast (ONNX): the bits of each element read as another dtype of the same width. Any byte that
// is not 0 becomes a true bool.
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/ops/shared/places/view.h"

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

// The bytes as integers, made elements of the dtype, and their name.
Status LowerBitCast(LowerContext& c) {
  const DType to = c.OutputInfo(0).dtype;
  if (!IsPartial(to)) return LowerSame(c);
  const Shape& shape = c.InputShape(0);
  const BufferId bytes = c.View(c.In(0), DType::kU8, shape);
  MapBuilder map(c, shape, Layout::kPlain);
  const auto x = map.Buffer(bytes, DType::kU8, shape);
  const auto number = [&](int64_t n) { return map.Integer(x.type, n); };
  auto y = map.Not(map.Call("Equal", x, number(0)));
  if (to != DType::kBool) {
    const int bits = BitsOf(to);
    y = map.Call("And", x, number((1 << bits) - 1));
    const bool is_signed = tensor::IsInteger(to) && !tensor::IsUnsigned(to);
    const auto sign = number(1 << (bits - 1));
    if (is_signed) y = map.Call("Sub", map.Call("Xor", y, sign), sign);
  }
  c.Alias(0, map.EmitNew(DType::kU8, y));
  return OkStatus();
}

}  // namespace

extern const Op kBitCastOp;
const Op kBitCastOp = {"BitCast", 1, 1, 1, 1, InferBitCast, ReferenceBitCast, LowerBitCast};

}  // namespace ferry::ops
