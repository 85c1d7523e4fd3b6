// Clip (ONNX): bounds as attributes (before opset 11) or inputs.
#include <algorithm>
#include <limits>

#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"

namespace ferry::ops {
namespace {

Status InferClip(InferContext& c) {
  FERRY_TRY(CheckKinds(c, 0, Kinds::Number));
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
  FERRY_ASSIGN_OR_RETURN(const double low_attribute, c.Float("min", -kNone));
  FERRY_ASSIGN_OR_RETURN(const double high_attribute, c.Float("max", kNone));
  const Tensor& x = c.In(0);
  WithExact(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T low = LowestOf<T>(x.dtype());
    T high = HighestOf<T>(x.dtype());
    if constexpr (std::is_same_v<T, double>) {
      low = low_attribute;
      high = high_attribute;
    }
    if (c.HasInput(1)) low = Get<T>(c.In(1), 0);
    if (c.HasInput(2)) high = Get<T>(c.In(2), 0);
    for (int64_t i = 0; i < x.elements(); ++i) {
      const T value = Get<T>(x, i);
      Put<T>(c.Out(0), i, IsNan(value) ? value : std::min(high, std::max(low, value)));
    }
  });
  return OkStatus();
}

Status LowerClip(LowerContext& c) {
  MapBuilder map(c, c.OutputShape(0));
  MapBuilder::Value x = map.Input(0);
  // A bound is an input, or an attribute that may be missing.
  auto bound = [&](int i, std::string_view key, const char* function) -> Status {
    if (c.HasInput(i)) {
      x = map.Call(function, x, map.Input(i));
    } else {
      FERRY_ASSIGN_OR_RETURN(const auto number, c.FloatInput(i, key));
      if (number) x = map.Call(function, x, map.Number(x, static_cast<double>(*number)));
    }
    return OkStatus();
  };
  FERRY_TRY(bound(1, "min", "Max"));
  FERRY_TRY(bound(2, "max", "Min"));
  map.Output(0, x);
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kClipOp;
const Op kClipOp = {"Clip", 1, 3, 1, 1, InferClip, ReferenceClip, LowerClip};

}  // namespace ferry::ops
