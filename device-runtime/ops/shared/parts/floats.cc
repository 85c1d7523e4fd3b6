#include "device-runtime/ops/shared/parts/floats.h"

#include <algorithm>
#include <numeric>

#include <fmt/ranges.h>

#include "device-runtime/ops/onnx_types.h"

namespace ferry::ops {

using ir::ValueId;

Status CheckFloatInputs(const NodeContext& c, std::initializer_list<int> inputs) {
  for (int i : inputs) {
    if (!c.HasInput(i) || IsArithmeticFloat(c.Input(i).dtype)) continue;
    return Status::Of(Code::kUnsupported, "input {} is {}, not f16, bf16, f32 or f64", i,
                      tensor::DTypeName(c.Input(i).dtype));
  }
  return OkStatus();
}

Result<DType> FloatTypeAttribute(const NodeContext& c, std::string_view key, DType fallback) {
  FERRY_ASSIGN_OR_RETURN(const int64_t number, c.Int(key, OnnxOfDType(fallback)));
  FERRY_ASSIGN_OR_RETURN(const DType dtype, DTypeOfOnnx(number));
  if (IsArithmeticFloat(dtype)) return dtype;
  return Status::Of(Code::kBadModel, "attribute '{}' names {}", key, tensor::DTypeName(dtype));
}

ValueId MeanOver(ExpandContext& c, ValueId x, std::span<const int64_t> axes) {
  if (axes.empty()) return x;
  return c.Add("ReduceMean", {x, c.Ints(axes)});
}

Standardized Standardize(ExpandContext& c, ValueId x, std::span<const int64_t> axes,
                         float epsilon) {
  const DType dtype = c.TypeOf(x);
  Standardized s;
  s.mean = MeanOver(c, x, axes);
  const ValueId centred = c.Add("Sub", {x, s.mean});
  const ValueId variance = MeanOver(c, c.Add("Mul", {centred, centred}), axes);
  const ValueId deviation = c.Add("Sqrt", {c.Add("Add", {variance, c.Number(dtype, epsilon)})});
  s.inverse_deviation = c.Add("Reciprocal", {deviation});
  s.values = c.Add("Mul", {centred, s.inverse_deviation});
  return s;
}

Result<ValueId> Positions(ExpandContext& c, int64_t count, bool column) {
  if (count > kMaxPositions) {
    return Status::Of(Code::kLimitExceeded, "{} positions pass the limit of {}", count,
                      kMaxPositions);
  }
  const Shape shape = column ? Shape({count, 1}) : Shape({count});
  FERRY_ASSIGN_OR_RETURN(Tensor positions, Tensor::Allocate(DType::kI64, shape));
  for (int64_t i = 0; i < count; ++i) positions.SetInteger(i, i);
  return c.Constant(std::move(positions));
}

std::vector<int64_t> AxesBetween(int begin, int end) {
  std::vector<int64_t> axes(static_cast<size_t>(std::max(end - begin, 0)));
  std::iota(axes.begin(), axes.end(), begin);
  return axes;
}

Status CheckBroadcastsTo(const NodeContext& c, int i, const Shape& shape) {
  FERRY_ASSIGN_OR_RETURN(Shape both, tensor::BroadcastShapes(c.InputShape(i), shape));
  if (both == shape) return OkStatus();
  return Status::Of(Code::kShapeMismatch, "input {} of {} does not broadcast to {}", i,
                    c.InputShape(i).ToString(), shape.ToString());
}

bool HasShape(const NodeContext& c, int i, std::span<const int64_t> dims) {
  return std::ranges::equal(c.InputShape(i).dims(), dims);
}

Status CheckInputShape(const NodeContext& c, int i, std::span<const int64_t> dims) {
  if (HasShape(c, i, dims)) return OkStatus();
  return Status::Of(Code::kShapeMismatch, "input {} is {} instead of [{}]", i,
                    c.InputShape(i).ToString(), fmt::join(dims, ","));
}

}  // namespace ferry::ops
