#include "device-runtime/ops/shared/numbers/quant_sum.h"

#include <algorithm>
#include <cmath>

#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/numbers/quantization.h"

namespace ferry::ops {
namespace {

struct Range {
  int32_t low, high;
  bool Has(int64_t x) const { return x >= low && x <= high; }
};

Range RangeOf(DType byte) {
  return byte == DType::kI8 ? Range{-128, 127} : Range{0, 255};
}

Status ReadFloats(const NodeContext& c, ir::QuantPost& post) {
  post.rounds_first = c.Has("first_factor");
  for (auto [key, number] : {std::pair{"add_zero", &post.add_zero},
                             {"add_factor", &post.add_factor},
                             {"first_low", &post.first_low},
                             {"first_high", &post.first_high},
                             {"first_factor", &post.first_factor},
                             {"low", &post.low},
                             {"high", &post.high}}) {
    FERRY_ASSIGN_OR_RETURN(*number, c.Float(key, *number));
    if (std::isnan(*number)) return Status::Of(Code::kBadModel, "attribute '{}' is NaN", key);
  }
  return OkStatus();
}

// NaN becomes `low`.
float Clip(float x, float low, float high) {
  return std::min(high, x > low ? x : low);
}

}  // namespace

Result<QuantSum> QuantSumOf(const NodeContext& c) {
  QuantSum q;
  const DType x = c.Input(0).dtype;
  if (!IsByte(x)) return Status::Of(Code::kUnsupported, "an input of {}", tensor::DTypeName(x));
  FERRY_ASSIGN_OR_RETURN(q.dtype, TypeAttribute(c, "y_type", DType::kU8));
  if (!IsByte(q.dtype) && q.dtype != DType::kF32 && q.dtype != DType::kI32) {
    return Status::Of(Code::kUnsupported, "an output of {}", tensor::DTypeName(q.dtype));
  }
  FERRY_ASSIGN_OR_RETURN(const int64_t x_zero, c.Int("x_zero", 0));
  FERRY_ASSIGN_OR_RETURN(const int64_t y_zero, c.Int("y_zero", 0));
  if (!RangeOf(x).Has(x_zero) || (IsByte(q.dtype) ? !RangeOf(q.dtype).Has(y_zero) : y_zero != 0)) {
    return Status(Code::kBadModel, "a zero point outside its type");
  }
  q.x_zero = static_cast<int32_t>(x_zero);
  q.post.zero = static_cast<int32_t>(y_zero);
  FERRY_TRY(ReadFloats(c, q.post));
  if (!IsByte(q.dtype)) return q;
  // Whole bounds inside the type, also when none are given.
  const auto zero = static_cast<float>(y_zero);
  const auto lowest = static_cast<float>(RangeOf(q.dtype).low) - zero;
  const auto highest = static_cast<float>(RangeOf(q.dtype).high) - zero;
  q.post.low = std::nearbyint(std::clamp(q.post.low, lowest, highest));
  q.post.high = std::nearbyint(std::clamp(q.post.high, lowest, highest));
  return q;
}

Status CheckQuantInputs(const NodeContext& c, const QuantSum& q, int64_t columns, const Shape& y) {
  if (c.Input(kW).dtype != DType::kI8) return Status(Code::kUnsupported, "weights must be i8");
  if (q.dtype != DType::kI32 && !c.HasInput(kFactor)) {
    return Status(Code::kBadModel, "the factors are missing");
  }
  const std::pair<int, DType> lists[] = {
      {kFactor, DType::kF32}, {kBias, DType::kI32}, {kOffset, DType::kF32}};
  for (const auto& [i, dtype] : lists) {
    if (!c.HasInput(i)) continue;
    if (c.Input(i).dtype != dtype || c.InputShape(i) != Shape({columns})) {
      return Status::Of(Code::kShapeMismatch, "input {} must be {} [{}]", i,
                        tensor::DTypeName(dtype), columns);
    }
  }
  if (c.HasInput(kAdd) && (!IsByte(c.Input(kAdd).dtype) || c.InputShape(kAdd) != y)) {
    return Status::Of(Code::kShapeMismatch, "an addend of {}", c.InputShape(kAdd).ToString());
  }
  if (c.HasInput(kXZero) &&
      (c.Input(kXZero).dtype != c.Input(kX).dtype || c.InputShape(kXZero).elements() != 1)) {
    return Status(Code::kShapeMismatch, "the zero point must be one number of x's type");
  }
  return OkStatus();
}

void PutQuantSum(const QuantSum& q, int64_t sum, float factor, float offset, const Tensor* add,
                 int64_t at, Tensor& y) {
  const auto whole = static_cast<int32_t>(static_cast<uint32_t>(sum));
  if (q.dtype == DType::kI32) return y.SetInteger(at, whole);
  const ir::QuantPost& p = q.post;
  float r = std::fma(static_cast<float>(whole), factor, offset);
  if (add != nullptr) {
    if (p.rounds_first) r = std::nearbyint(Clip(r, p.first_low, p.first_high));
    const float x = static_cast<float>(add->Integer(at)) - p.add_zero;
    r = std::fma(x, p.add_factor, r * p.first_factor);
  }
  if (q.dtype == DType::kF32) {
    y.SetNumber(at, std::isnan(r) ? r : Clip(r, p.low, p.high));
  } else {
    y.SetInteger(at, static_cast<int32_t>(std::nearbyint(Clip(r, p.low, p.high))) + p.zero);
  }
}

void PutQuantSum(ReferenceContext& c, const QuantSum& q, int64_t sum, int64_t column, int64_t at) {
  if (c.HasInput(kBias)) sum += c.In(kBias).Integer(column);
  const auto number = [&](int i) {
    return c.HasInput(i) ? static_cast<float>(c.In(i).Number(column)) : 0.0f;
  };
  PutQuantSum(q, sum, number(kFactor), number(kOffset), c.HasInput(kAdd) ? &c.In(kAdd) : nullptr,
              at, c.Out(0));
}

int32_t XZero(const ReferenceContext& c, const QuantSum& q) {
  return c.HasInput(kXZero) ? static_cast<int32_t>(c.In(kXZero).Integer(0)) : q.x_zero;
}

}  // namespace ferry::ops
