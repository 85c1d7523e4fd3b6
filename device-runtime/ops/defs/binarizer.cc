// Binarizer (ONNX's ML domain): 1 above the threshold, else 0.
#include "device-runtime/ops/op.h"

namespace ferry::ops {
namespace {

Status InferBinarizer(InferContext& c) {
  FERRY_TRY(c.Float("threshold", 0).status());
  const DType dtype = c.Input(0).dtype;
  if (!tensor::IsFloat(dtype) && !tensor::IsInteger(dtype)) {
    return Status(Code::kUnsupported, "needs numbers");
  }
  c.SetOutput(0, dtype, c.InputShape(0));
  return OkStatus();
}

Status ReferenceBinarizer(ReferenceContext& c) {
  FERRY_ASSIGN_OR_RETURN(const float threshold, c.Float("threshold", 0));
  for (int64_t i = 0; i < c.In(0).elements(); ++i) {
    c.Out(0).SetNumber(i, c.In(0).Number(i) > threshold ? 1 : 0);
  }
  return OkStatus();
}

}  // namespace

extern const Op kBinarizerOp;
const Op kBinarizerOp = {"ai.onnx.ml:Binarizer", 1, 1, 1, 1, InferBinarizer, ReferenceBinarizer};

}  // namespace ferry::ops
