// IsInf (ONNX) of floating point; each sign can be left out.
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"

namespace ferry::ops {
namespace {

Status InferIsInf(InferContext& c) {
  FERRY_TRY(CheckKinds(c, 0, Kinds::Float));
  c.SetOutput(0, DType::kBool, c.InputShape(0));
  return OkStatus();
}

Status ReferenceIsInf(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t negative, c.Int("detect_negative", 1));
  FERRY_ASSIGN_OR_RETURN(const int64_t positive, c.Int("detect_positive", 1));
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    const double x = c.In(0).Number(i);
    const bool counts = std::signbit(x) ? negative != 0 : positive != 0;
    c.Out(0).SetInteger(i, std::isinf(x) && counts ? 1 : 0);
  }
  return OkStatus();
}

Status LowerIsInf(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const int64_t negative, c.Int("detect_negative", 1));
  FERRY_ASSIGN_OR_RETURN(const int64_t positive, c.Int("detect_positive", 1));
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  MapBuilder map(c, c.OutputShape(0));
  const auto x = map.Input(0);
  auto found = map.Number(x, 0);
  if (positive != 0) found = map.Call("Equal", x, map.Number(x, kInfinity));
  if (negative != 0) {
    found = map.Call("Max", found, map.Call("Equal", x, map.Number(x, -kInfinity)));
  }
  map.Output(0, map.Convert(found, ir::MapType::kI32));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kIsInfOp;
const Op kIsInfOp = {"IsInf", 1, 1, 1, 1, InferIsInf, ReferenceIsInf, LowerIsInf};

}  // namespace ferry::ops
