// Cast (ONNX): attribute `to` is an ONNX type number. Floats to integers truncate and saturate.
#include "device-runtime/ops/defs/index.h"
#include "device-runtime/ops/onnx_types.h"
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status InferCast(InferContext& c) {
  FERRY_ASSIGN_OR_RETURN(int64_t to, c.Int("to", 0));
  FERRY_ASSIGN_OR_RETURN(DType dtype, DTypeOfOnnx(to));
  c.SetOutput(0, dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceCast(ReferenceContext& c) {
  if (c.Out(0).dtype() == c.In(0).dtype()) {
    CopyAll(c.In(0), c.Out(0));
    return OkStatus();
  }
  for (int64_t i = 0; i < c.In(0).elements(); ++i) c.Out(0).SetNumber(i, c.In(0).Number(i));
  return OkStatus();
}

}  // namespace

extern const Op kCastOp;
const Op kCastOp = {"Cast", 1, 1, 1, 1, InferCast, ReferenceCast, nullptr};

}  // namespace ferry::ops
