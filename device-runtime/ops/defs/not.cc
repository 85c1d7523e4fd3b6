// Not (ONNX) of bool.
#include "device-runtime/ops/map_builder.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status InferNot(InferContext& c) {
  if (c.Input(0).dtype != DType::kBool) return Status(Code::kShapeMismatch, "needs bool");
  c.SetOutput(0, DType::kBool, c.InputShape(0));
  return OkStatus();
}

Status ReferenceNot(ReferenceContext& c) {
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    c.Out(0).SetInteger(i, c.In(0).Integer(i) == 0 ? 1 : 0);
  }
  return OkStatus();
}

Status LowerNot(LowerContext& c) {
  MapBuilder map(c, c.OutputShape(0));
  map.Output(0, map.Not(map.Input(0)));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kNotOp;
const Op kNotOp = {"Not", 1, 1, 1, 1, InferNot, ReferenceNot, LowerNot};

}  // namespace ferry::ops
