// QQuantize (Ferry's own): QuantizeLinear of f32 by one number (attributes scale, y_zero, y_type)
// to u8 or i8, for values that no element-wise function makes. An image of a few channels comes out
// channels-last.
#include <algorithm>
#include <cmath>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/numbers/quantization.h"

namespace ferry::ops {
namespace {

constexpr int64_t kMaxChannels = 4;  // that the primitive interleaves

struct QQuantizePlan {
  DType dtype;
  float scale;
  int32_t zero, low, high;
};

Result<QQuantizePlan> QQuantizePlanOf(const NodeContext& c) {
  QQuantizePlan p{};
  if (c.Input(0).dtype != DType::kF32) return Status(Code::kUnsupported, "an input other than f32");
  FERRY_ASSIGN_OR_RETURN(p.dtype, TypeAttribute(c, "y_type", DType::kU8));
  if (!IsByte(p.dtype)) {
    return Status::Of(Code::kUnsupported, "an output of {}", tensor::DTypeName(p.dtype));
  }
  p.low = p.dtype == DType::kI8 ? -128 : 0;
  p.high = p.low + 255;
  FERRY_ASSIGN_OR_RETURN(p.scale, c.Float("scale", 1));
  FERRY_ASSIGN_OR_RETURN(const int64_t zero, c.Int("y_zero", 0));
  if (!std::isfinite(p.scale) || p.scale <= 0 || zero < p.low || zero > p.high) {
    return Status(Code::kBadModel, "a scale or zero point that is none");
  }
  p.zero = static_cast<int32_t>(zero);
  return p;
}

Status InferQQuantize(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(QQuantizePlan p, QQuantizePlanOf(c));
  c.SetOutput(0, p.dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceQQuantize(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(QQuantizePlan p, QQuantizePlanOf(c));
  for (int64_t i = 0; i < c.Out(0).elements(); ++i) {
    const float steps = static_cast<float>(c.In(0).Number(i)) / p.scale;
    const float q = std::nearbyint(steps) + static_cast<float>(p.zero);
    const auto low = static_cast<float>(p.low);
    c.Out(0).SetInteger(
        i, static_cast<int32_t>(std::min(static_cast<float>(p.high), q > low ? q : low)));
  }
  return OkStatus();
}

Status LowerQQuantize(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(QQuantizePlan p, QQuantizePlanOf(c));
  const Shape& x = c.InputShape(0);
  ir::BytesPrim prim;
  prim.kind = ir::BytesKind::kQuantize;
  prim.a_factor = p.scale;
  prim.zero = p.zero;
  const bool image = !c.IsChannelsLast(0) && x.rank() == 4 && x[1] > 1 && x[1] <= kMaxChannels;
  const Layout layout = image || c.IsChannelsLast(0) ? Layout::kChannelsLast : Layout::kPlain;
  if (image) {
    prim.outer = x[0];
    prim.repeat = x[1];
    prim.inner = x[2] * x[3];
  } else {
    prim.inner = x.elements();
  }
  const BufferId in = c.In(0, image ? Layout::kPlain : layout);
  c.Emit(prim, {in}, c.Out(0, layout));
  return OkStatus();
}

}  // namespace

extern const Op kQQuantizeOp;
const Op kQQuantizeOp = {"QQuantize",   1, 1, 1, 1, InferQQuantize, ReferenceQQuantize,
                         LowerQQuantize};

}  // namespace ferry::ops
