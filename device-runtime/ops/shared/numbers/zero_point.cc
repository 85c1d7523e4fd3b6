#include "device-runtime/ops/shared/numbers/zero_point.h"

namespace ferry::ops {

using ir::kNoValue;
using ir::ValueId;

ValueId Centred(ExpandContext& c, ValueId x, ValueId zero_point, std::span<const int64_t> dims) {
  const ValueId wide = c.Cast(x, DType::kI32);
  if (zero_point == kNoValue) return wide;
  return c.Add("Sub", {wide, c.Reshape(c.Cast(zero_point, DType::kI32), dims)});
}

ValueId Requantized(ExpandContext& c, ValueId x, ValueId factor, ValueId zero_point, DType dtype) {
  const bool is_signed = dtype == DType::kI8;
  ValueId y = c.Add("Mul", {c.Cast(x, DType::kF32), c.Cast(factor, DType::kF32)});
  y = c.Add("Round", {y});
  if (zero_point != kNoValue) y = c.Add("Add", {y, c.Cast(zero_point, DType::kF32)});
  y = c.Add("Clip", {y, c.Number(DType::kF32, is_signed ? -128 : 0),
                     c.Number(DType::kF32, is_signed ? 127 : 255)});
  return c.Cast(y, dtype);
}

ValueId FactorOf(ExpandContext& c, ValueId a_scale, ValueId b_scale, ValueId y_scale) {
  return c.Add("Div", {c.Add("Mul", {a_scale, b_scale}), y_scale});
}

}  // namespace ferry::ops
