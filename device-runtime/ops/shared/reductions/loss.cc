#include "device-runtime/ops/shared/reductions/loss.h"

#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {

using ir::kNoValue;
using ir::ValueId;

Status CheckLossInputs(const NodeContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0, 2}));
  const Shape& x = c.InputShape(0);
  if (c.Input(1).dtype != DType::kI64 && c.Input(1).dtype != DType::kI32) {
    return Status(Code::kShapeMismatch, "targets must be i64 or i32");
  }
  if (x.rank() < 2) return Status::Of(Code::kShapeMismatch, "{} has no classes", x.ToString());
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims.erase(dims.begin() + 1);
  FERRY_TRY(CheckInputShape(c, 1, dims));
  return c.HasInput(2) ? CheckInputShape(c, 2, {x[1]}) : OkStatus();
}

Status ExpandLoss(ExpandContext& c, ValueId logarithms) {
  FERRY_ASSIGN_OR_RETURN(const std::string reduction, c.Text("reduction", "mean"));
  FERRY_ASSIGN_OR_RETURN(const int64_t ignored, c.Int("ignore_index", 0));
  if (reduction != "none" && reduction != "sum" && reduction != "mean") {
    return Status::Of(Code::kBadModel, "reduction '{}'", reduction);
  }
  const Shape& shape = c.InputShape(0);
  const DType wide = c.TypeOf(logarithms);
  FERRY_ASSIGN_OR_RETURN(const ValueId classes, Positions(c, shape[1], false));
  // Along the classes: one where the target is.
  std::vector<int64_t> by_class(static_cast<size_t>(shape.rank() - 1), 1);
  by_class[0] = shape[1];
  const ValueId target = c.Add("Unsqueeze", {c.Cast(c.In(1), DType::kI64), c.Ints({1})});
  const ValueId numbers = c.Reshape(classes, by_class);
  ValueId hit = c.Add("Equal", {numbers, target});
  if (c.Has("ignore_index")) {
    FERRY_ASSIGN_OR_RETURN(Tensor one, Tensor::Zeros(DType::kI64, {}));
    one.SetInteger(0, ignored);
    const ValueId skip = c.Add("Equal", {target, c.Constant(std::move(one))});
    hit = c.Add("And", {hit, c.Add("Not", {skip})});
  }
  const ValueId zero = c.Number(wide, 0);
  auto at_target = [&](ValueId x) {
    return c.Add("ReduceSum", {c.Add("Where", {hit, x, zero}), c.Ints({1})},
                 {{"keepdims", int64_t{0}}});
  };
  const bool weighted = c.HasInput(2) || c.Has("ignore_index");
  ValueId loss = at_target(c.Add("Neg", {logarithms}));
  ValueId weights = kNoValue;
  if (weighted) {
    weights =
        at_target(c.HasInput(2) ? c.Reshape(c.Cast(c.In(2), wide), by_class) : c.Number(wide, 1));
  }
  if (c.HasInput(2)) loss = c.Add("Mul", {loss, weights});
  const std::string_view reduce = reduction == "mean" && !weighted ? "ReduceMean" : "ReduceSum";
  auto over_all = [&](ValueId x) { return c.Add(reduce, {x}, {{"keepdims", int64_t{0}}}); };
  if (reduction != "none") loss = over_all(loss);
  if (reduction == "mean" && weighted) loss = c.Add("Div", {loss, over_all(weights)});
  c.SetOutput(0, c.Cast(loss, c.Input(0).dtype));
  return OkStatus();
}

}  // namespace ferry::ops
