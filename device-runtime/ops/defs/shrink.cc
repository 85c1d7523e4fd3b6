// Shrink (ONNX): x + bias below -lambd, x - bias above lambd, 0 between.
#include "device-runtime/ops/defs/exact.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status InferShrink(InferContext& c) {
  FERRY_TRY(CheckKinds(c, 0, Kinds::Number));
  c.SetOutput(0, c.Input(0).dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceShrink(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const double bias, c.Float("bias", 0.0f));
  FERRY_ASSIGN_OR_RETURN(const double threshold, c.Float("lambd", 0.5f));
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    const double x = c.In(0).Number(i);
    c.Out(0).SetNumber(i, x < -threshold ? x + bias : x > threshold ? x - bias : 0.0);
  }
  return OkStatus();
}

}  // namespace

extern const Op kShrinkOp;
const Op kShrinkOp = {"Shrink", 1, 1, 1, 1, InferShrink, ReferenceShrink};

}  // namespace ferry::ops
