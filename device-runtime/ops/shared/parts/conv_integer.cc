#include "device-runtime/ops/shared/parts/conv_integer.h"

#include "device-runtime/ops/shared/numbers/dtypes.h"
#include "device-runtime/ops/shared/numbers/zero_point.h"

namespace ferry::ops {

using ir::ValueId;

std::vector<int64_t> AlongAxis(const Shape& list, int axis, int rank) {
  if (list.elements() == 1) return {};
  std::vector<int64_t> dims(static_cast<size_t>(rank), 1);
  dims[static_cast<size_t>(axis)] = list.elements();
  return dims;
}

ValueId IntegerConv(ExpandContext& c, int x, int w, int x_zero, int w_zero, ValueId bias) {
  const int rank = c.InputShape(w).rank();
  if (rank < 3) {
    c.Fail(Status::Of(Code::kShapeMismatch, "weights {}", c.InputShape(w).ToString()));
    return ir::kNoValue;
  }
  for (int i : {x, w, x_zero, w_zero}) {
    if (!c.HasInput(i)) continue;
    if (!IsByte(c.Input(i).dtype)) {
      c.Fail(Status::Of(Code::kUnsupported, "input {} must be u8 or i8", i));
    }
  }
  std::vector<int64_t> w_dims;
  if (c.HasInput(w_zero)) w_dims = AlongAxis(c.InputShape(w_zero), 0, rank);
  const ValueId image = Centred(c, c.In(x), c.In(x_zero), {});
  const ValueId weights = Centred(c, c.In(w), c.In(w_zero), w_dims);
  return c.AddLike("Conv", {image, weights, bias});
}

}  // namespace ferry::ops
