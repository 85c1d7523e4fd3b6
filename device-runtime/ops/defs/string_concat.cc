// StringConcat (ONNX): text by text, with broadcasting.
#include "device-runtime/ops/op.h"
#include "device-runtime/ops/shared/places/index.h"

namespace ferry::ops {
namespace {

Status InferStringConcat(InferContext& c) {
  if (c.Input(0).dtype != DType::kString || c.Input(1).dtype != DType::kString) {
    return Status(Code::kShapeMismatch, "both inputs must be string");
  }
  FERRY_ASSIGN_OR_RETURN(Shape shape, tensor::BroadcastShapes(c.InputShape(0), c.InputShape(1)));
  c.SetOutput(0, DType::kString, shape);
  return OkStatus();
}

Status ReferenceStringConcat(ReferenceContext& c) {
  Tensor& out = c.Out(0);
  const BroadcastIndex a(c.In(0).shape(), out.shape());
  const BroadcastIndex b(c.In(1).shape(), out.shape());
  for (int64_t i = 0; i < out.elements(); ++i) {
    std::string text(c.In(0).Text(a(i)));
    text += c.In(1).Text(b(i));
    out.SetText(i, c.strings().Add(text));
  }
  return OkStatus();
}

}  // namespace

extern const Op kStringConcatOp;
const Op kStringConcatOp = {.name = "StringConcat",
                            .min_inputs = 2,
                            .max_inputs = 2,
                            .min_outputs = 1,
                            .max_outputs = 1,
                            .infer = InferStringConcat,
                            .reference = ReferenceStringConcat};

}  // namespace ferry::ops
