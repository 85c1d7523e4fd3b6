// ReduceLogSumExp (ONNX): log(sum(exp(x))), as m + log(sum(exp(x - m))) with the maximum m, which
// counts as 0 where it is infinite.
#include <algorithm>

#include "device-runtime/ops/expand.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"

namespace ferry::ops {
namespace {

Status ExpandReduceLogSumExp(ExpandContext& c) {
  FERRY_TRY(CheckKinds(c, 0, Kinds::Number));
  const DType dtype = c.Input(0).dtype;
  const bool wide = dtype == DType::kF64 || !tensor::IsFloat(dtype);
  FERRY_ASSIGN_OR_RETURN(const int64_t keep, c.Int("keepdims", 1));
  FERRY_ASSIGN_OR_RETURN(const int64_t noop, c.Int("noop_with_empty_axes", 0));
  FERRY_ASSIGN_OR_RETURN(auto axes, c.IntsInput(1, "axes"));
  const ir::ValueId x = c.Cast(c.In(0), wide ? DType::kF64 : DType::kF32);
  const ir::ValueId list = axes ? c.Ints(*axes) : ir::kNoValue;
  auto reduce = [&](std::string_view op, ir::ValueId of) {
    return c.Add(op, {of, list}, {{"keepdims", int64_t{1}}, {"noop_with_empty_axes", noop}});
  };
  const ir::ValueId highest = reduce("ReduceMax", x);
  const ir::ValueId infinite = c.Add("IsInf", {highest});
  const ir::ValueId shift = c.Add("Where", {infinite, c.Number(c.TypeOf(x), 0), highest});
  const ir::ValueId sum = reduce("ReduceSum", c.Add("Exp", {c.Add("Sub", {x, shift})}));
  ir::ValueId y = c.Cast(c.Add("Add", {c.Add("Log", {sum}), shift}), dtype);
  if (keep == 0) {
    std::vector<int64_t> dims;
    const int rank = c.InputShape(0).rank();
    const bool all = !axes || axes->empty();
    std::vector<int> reduced;
    if (!all) {
      FERRY_ASSIGN_OR_RETURN(reduced, NormalizeAxes(*axes, rank));
    }
    for (int axis = 0; axis < rank; ++axis) {
      const bool gone = all ? noop == 0 : std::ranges::binary_search(reduced, axis);
      if (!gone) dims.push_back(c.InputShape(0)[axis]);
    }
    y = c.Reshape(y, dims);
  }
  c.SetOutput(0, y);
  return OkStatus();
}

}  // namespace

extern const Op kReduceLogSumExpOp;
const Op kReduceLogSumExpOp = {.name = "ReduceLogSumExp",
                               .min_inputs = 1,
                               .max_inputs = 2,
                               .min_outputs = 1,
                               .max_outputs = 1,
                               .expand = ExpandReduceLogSumExp};

}  // namespace ferry::ops
