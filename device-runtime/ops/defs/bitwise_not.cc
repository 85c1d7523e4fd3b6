// BitwiseNot (ONNX) of integers.
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/numbers/exact.h"

namespace ferry::ops {
namespace {

Status InferBitwiseNot(InferContext& c) {
  FERRY_TRY(CheckKinds(c, 0, Kinds::Integer));
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceBitwiseNot(ReferenceContext& c) {
  for (int64_t i = 0; i < c.In(0).elements(); ++i) c.Out(0).SetInteger(i, ~c.In(0).Integer(i));
  return OkStatus();
}

Status LowerBitwiseNot(LowerContext& c) {
  MapBuilder map(c, c.OutputShape(0));
  const auto x = map.Input(0);
  map.Output(0, map.Call("Xor", x, map.Integer(x.type, -1)));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kBitwiseNotOp;
const Op kBitwiseNotOp = {"BitwiseNot",   1, 1, 1, 1, InferBitwiseNot, ReferenceBitwiseNot,
                          LowerBitwiseNot};

}  // namespace ferry::ops
