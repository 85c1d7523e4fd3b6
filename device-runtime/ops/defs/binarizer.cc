// Binarizer (ONNX's ML domain): 1 above the threshold, else 0.
#include "device-runtime/ops/map_builder.h"
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

Status LowerBinarizer(LowerContext& c) {
  FERRY_ASSIGN_OR_RETURN(const float threshold, c.Float("threshold", 0));
  MapBuilder map(c, c.OutputShape(0));
  const auto x = map.Input(0);
  const auto wide = map.Convert(x, ir::MapType::kF64);
  const auto above = map.Call("Less", map.Number(wide, static_cast<double>(threshold)), wide);
  map.Output(0, map.Convert(above, x.type));
  map.Emit();
  return OkStatus();
}

}  // namespace

extern const Op kBinarizerOp;
const Op kBinarizerOp = {"ai.onnx.ml:Binarizer", 1, 1, 1, 1, InferBinarizer, ReferenceBinarizer,
                         LowerBinarizer};

}  // namespace ferry::ops
