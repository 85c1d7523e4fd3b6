// Clip (ONNX): bounds as attributes (before opset 11) or inputs.
#include <algorithm>
#include <cmath>
#include <limits>

#include "device-runtime/ops/lower_context.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status InferClip(InferContext& c) {
  for (int i = 1; i < c.input_count(); ++i) {
    if (c.HasInput(i) &&
        (c.InputShape(i).elements() != 1 || c.Input(i).dtype != c.Input(0).dtype)) {
      return Status::Of(Code::kShapeMismatch, "input {} must be one number of the input's dtype",
                        i);
    }
  }
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceClip(ReferenceContext& c) {
  constexpr float kNone = std::numeric_limits<float>::infinity();
  FERRY_ASSIGN_OR_RETURN(float low_attribute, c.Float("min", -kNone));
  FERRY_ASSIGN_OR_RETURN(float high_attribute, c.Float("max", kNone));
  const double low = c.HasInput(1) ? c.In(1).Number(0) : low_attribute;
  const double high = c.HasInput(2) ? c.In(2).Number(0) : high_attribute;
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    const double x = c.In(0).Number(i);
    c.Out(0).SetNumber(i, std::isnan(x) ? x : std::min(high, std::max(low, x)));
  }
  return OkStatus();
}

Status LowerClip(LowerContext& c) {
  const bool known =
      (!c.HasInput(1) || c.Input(1).constant) && (!c.HasInput(2) || c.Input(2).constant);
  if (!known || c.Input(0).dtype != DType::kF32) {
    c.EmitCall();
    return OkStatus();
  }
  constexpr float kNone = std::numeric_limits<float>::infinity();
  FERRY_ASSIGN_OR_RETURN(auto low, c.FloatInput(1, "min"));
  FERRY_ASSIGN_OR_RETURN(auto high, c.FloatInput(2, "max"));
  const Layout layout = c.IsChannelsLast(0) ? Layout::kChannelsLast : Layout::kPlain;
  const BufferId x = c.In(0, layout);
  c.Emit(
      ir::UnaryPrim{"Clip", low.value_or(-kNone), high.value_or(kNone), c.InputShape(0).elements()},
      {x}, c.Out(0, layout));
  return OkStatus();
}

}  // namespace

extern const Op kClipOp;
const Op kClipOp = {"Clip", 1, 3, 1, 1, InferClip, ReferenceClip, LowerClip};

}  // namespace ferry::ops
