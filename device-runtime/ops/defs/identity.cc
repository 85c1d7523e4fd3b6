// Identity (ONNX), also of sequences and optionals.
#include "device-runtime/ops/evaluate.h"
#include "device-runtime/ops/shared/places/view.h"

namespace ferry::ops {
namespace {

Status EvaluateIdentity(EvaluateContext& c) {
  c.SetOutput(0, c.In(0));
  return OkStatus();
}

}  // namespace

extern const Op kIdentityOp;
const Op kIdentityOp = {"Identity",      1, 1, 1, 1, InferSame, ReferenceView, LowerSame, nullptr,
                        EvaluateIdentity};

}  // namespace ferry::ops
