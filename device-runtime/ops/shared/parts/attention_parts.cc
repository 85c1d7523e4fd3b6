#include <limits>

#include "device-runtime/ops/shared/parts/attention_parts.h"

namespace ferry::ops {

using ir::ValueId;

ValueId SplitHeads(ExpandContext& c, ValueId x, int64_t heads) {
  const Shape shape = c.ShapeOf(x);
  const std::vector<int64_t> dims = {shape[0], shape[1], heads, shape[2] / heads};
  return c.Transpose(c.Reshape(x, dims), {0, 2, 1, 3});
}

ValueId JoinHeads(ExpandContext& c, ValueId x) {
  const Shape shape = c.ShapeOf(x);
  if (shape.rank() != 4) return x;  // after an error
  const std::vector<int64_t> dims = {shape[0], shape[2], shape[1] * shape[3]};
  return c.Reshape(c.Transpose(x, {0, 2, 1, 3}), dims);
}

ValueId BiasOf(ExpandContext& c, ValueId allowed, DType dtype) {
  const double nothing = -std::numeric_limits<double>::infinity();
  return c.Add("Where", {allowed, c.Number(dtype, 0), c.Number(dtype, nothing)});
}

ValueId MaskedSoftmax(ExpandContext& c, ValueId scores, ValueId bias) {
  const ValueId softmax = c.Add("Softmax", {scores}, {{"axis", int64_t{-1}}});
  if (bias == ir::kNoValue) return softmax;
  const DType dtype = c.TypeOf(bias);
  const ValueId highest = c.Add("ReduceMax", {bias, c.Ints({-1})});
  const double nothing = -std::numeric_limits<double>::infinity();
  const ValueId masked = c.Add("Equal", {highest, c.Number(dtype, nothing)});
  return c.Add("Where", {masked, c.Number(c.TypeOf(softmax), 0), softmax});
}

}  // namespace ferry::ops
