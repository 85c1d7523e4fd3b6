// CausalConvWithState (ONNX): each channel convolved with its own kernel over the numbers so far;
// what the next call needs of them is the second output.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/parts/floats.h"

namespace ferry::ops {
namespace {

using ir::ValueId;

struct CausalConvWithStatePlan {
  int64_t batch, channels, length, kernel;
};

Result<CausalConvWithStatePlan> CausalConvWithStatePlanOf(const NodeContext& c) {
  FERRY_TRY(CheckFloatInputs(c, {0, 1, 2, 3}));
  const Shape& x = c.InputShape(0);
  const Shape& w = c.InputShape(1);
  if (x.rank() != 3 || w.rank() != 3 || w[0] != x[1] || w[1] != 1 || w[2] < 1) {
    return Status::Of(Code::kShapeMismatch, "an input {} and weights {}", x.ToString(),
                      w.ToString());
  }
  const CausalConvWithStatePlan p{x[0], x[1], x[2], w[2]};
  if (c.HasInput(2)) FERRY_TRY(CheckInputShape(c, 2, {p.channels}));
  if (c.HasInput(3)) FERRY_TRY(CheckInputShape(c, 3, {p.batch, p.channels, p.kernel - 1}));
  return p;
}

// The convolution without padding; in f32 for 16-bit types, then rounded once.
ValueId Convolve(ExpandContext& c, const CausalConvWithStatePlan& p, ValueId x) {
  const DType dtype = c.Input(0).dtype;
  const DType wide = WideFloat(dtype);
  std::vector<ValueId> inputs = {c.Cast(x, wide), c.Cast(c.In(1), wide)};
  if (c.HasInput(2)) inputs.push_back(c.Cast(c.In(2), wide));
  return c.Cast(c.Add("Conv", inputs, {{"group", p.channels}}), dtype);
}

Status ExpandCausalConvWithState(ExpandContext& c) {
  FERRY_ASSIGN_OR_RETURN(const CausalConvWithStatePlan p, CausalConvWithStatePlanOf(c));
  FERRY_ASSIGN_OR_RETURN(const std::string activation, c.Text("activation", "none"));
  const bool silu = activation == "silu" || activation == "swish";
  if (!silu && activation != "none") {
    return Status::Of(Code::kBadModel, "unknown activation '{}'", activation);
  }
  const DType dtype = c.Input(0).dtype;
  const int64_t kept = p.kernel - 1;
  ValueId all = c.In(0);
  if (c.HasInput(3)) {
    all = c.Add("Concat", {c.In(3), all}, {{"axis", int64_t{2}}});
  } else if (kept > 0) {
    all = c.Add("Pad", {all, c.Ints({kept, 0}), c.Number(dtype, 0), c.Ints({2})});
  }
  const bool empty = c.InputShape(0).elements() == 0;
  ValueId y = empty ? c.Add("Identity", {c.In(0)}) : Convolve(c, p, all);
  if (silu) y = c.Cast(c.Add("Silu", {c.Cast(y, WideFloat(dtype))}), dtype);
  c.SetOutput(0, y);
  if (c.HasOutput(1)) {
    const int64_t total = p.length + kept;
    c.SetOutput(1, c.Add("Slice", {all, c.Ints({p.length}), c.Ints({total}), c.Ints({2})}));
  }
  return OkStatus();
}

}  // namespace

extern const Op kCausalConvWithStateOp;
const Op kCausalConvWithStateOp = {.name = "CausalConvWithState",
                                   .min_inputs = 2,
                                   .max_inputs = 4,
                                   .min_outputs = 1,
                                   .max_outputs = 2,
                                   .expand = ExpandCausalConvWithState};

}  // namespace ferry::ops
