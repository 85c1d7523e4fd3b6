// IsNaN (ONNX) of floating point.
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"

namespace ferry::ops {
namespace {

Status InferIsNaN(InferContext& c) {
  FERRY_TRY(CheckKinds(c, 0, Kinds::Float));
  c.SetOutput(0, DType::kBool, c.InputShape(0));
  return OkStatus();
}

Status ReferenceIsNaN(ReferenceContext& c) {
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    c.Out(0).SetInteger(i, std::isnan(c.In(0).Number(i)) ? 1 : 0);
  }
  return OkStatus();
}

Status LowerIsNaN(LowerContext& c) {
  MapBuilder map(c, c.OutputShape(0));
  const auto x = map.Input(0);
  map.Output(0, map.Convert(map.Not(map.Call("Equal", x, x)), ir::MapType::kI32));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kIsNaNOp;
const Op kIsNaNOp = {"IsNaN", 1, 1, 1, 1, InferIsNaN, ReferenceIsNaN, LowerIsNaN};

}  // namespace ferry::ops
